import type { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';

interface ErrorLog {
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** The used parts of the process object. */
export type ProcessLike = Pick<EventEmitter, 'on' | 'off'> & {
  exit(code: number): void;
  readonly env: NodeJS.ProcessEnv;
};

const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;
type Signal = keyof typeof exitCodes;

const signals = Object.keys(exitCodes) as Signal[];

/** npm forwards a signal that the terminal already sent to the process group. */
const echoMilliseconds = 300;

/**
 * Waits for SIGINT or SIGTERM, closes, and resolves with the exit code: 0, or 1 if closing failed. A second signal exits
 * immediately with the code of an unhandled signal.
 */
export function untilSignalled(
  on: ProcessLike,
  close: () => Promise<void>,
  log: ErrorLog,
  now: () => number = performance.now.bind(performance),
): Promise<number> {
  return new Promise((resolve) => {
    let first: { signal: Signal; at: number } | undefined;
    const receive = (signal: Signal): void => {
      if (first === undefined) {
        first = { signal, at: now() };
        log.info('closing', { signal });
        resolve(closed(close, log));
      } else if (!isEcho(on, first, signal, now())) {
        on.exit(exitCodes[signal]);
      }
    };
    for (const signal of signals) on.on(signal, receive);
  });
}

function isEcho({ env }: ProcessLike, first: { signal: Signal; at: number }, signal: Signal, at: number): boolean {
  return env.npm_lifecycle_event === 'start' && signal === first.signal && at - first.at < echoMilliseconds;
}

async function closed(close: () => Promise<void>, log: ErrorLog): Promise<number> {
  try {
    await close();
    return 0;
  } catch (error) {
    log.error('closing failed', { error });
    return 1;
  }
}

const stormLimit = 100;
const stormWindow = 60_000;

/**
 * Keeps the process alive after an uncaught exception. Once the server is ready, all code runs for a request or a watch: such an
 * error fails one of them and must not end the others. Continuing is safe, because consistency is ensured by the store's
 * transactions. After too many errors in a minute the process exits, so that a supervisor restarts it.
 */
export function guardProcess(on: ProcessLike, log: ErrorLog, now: () => number = performance.now.bind(performance)): void {
  let recent: number[] = [];
  on.on('uncaughtException', (error: unknown, origin: string) => {
    log.error('uncaught exception', { error, origin });
    recent = [...recent.filter((at) => at > now() - stormWindow), now()];
    if (recent.length > stormLimit) on.exit(1);
  });
}

/** The path is valid from the sources and from the bundle. */
export function packageVersion(): string {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
}
