import type { EventEmitter } from 'node:events';

interface ErrorLog {
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** The parts of the process object that are used here. */
export type ProcessLike = Pick<EventEmitter, 'on' | 'off'> & {
  exit(code: number): void;
  readonly env: NodeJS.ProcessEnv;
};

const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;
type Signal = keyof typeof exitCodes;

const signals = Object.keys(exitCodes) as Signal[];

/** npm passes on the signal that the terminal has already sent to the whole group. */
const echoMilliseconds = 300;

/**
 * Waits for SIGINT or SIGTERM, closes, and gives the exit code: 0, or 1 if closing failed. A second signal ends the
 * process at once, in the way a process without a handler would have ended.
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
 * Keeps the process alive when an error reaches nobody. From the moment the server is ready, what runs is answers to
 * requests and watches; such an error is the failure of one of them, and must not end the others: nothing a client
 * sends may end the process. It is safe to go on, because what has to be consistent is so in the store's transactions
 * and not in half-run callbacks. What fails again and again is not the failure of a request, and a supervisor
 * restarts better than we limp.
 */
export function guardProcess(on: ProcessLike, log: ErrorLog, now: () => number = performance.now.bind(performance)): void {
  let recent: number[] = [];
  on.on('uncaughtException', (error: unknown, origin: string) => {
    log.error('an error reached nobody', { error, origin });
    recent = [...recent.filter((at) => at > now() - stormWindow), now()];
    if (recent.length > stormLimit) on.exit(1);
  });
}
