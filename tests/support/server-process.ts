import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const bundle = fileURLToPath(new URL('../../packages/tsukube/dist/tsukube.cjs', import.meta.url));

/** For `describe.skipIf`: the bundle is missing if tests are started without `npm test`, for instance from an editor. */
export const notBuilt = !existsSync(bundle);

/** A `tsukube serve` process. */
export interface ServerProcess {
  readonly pid: number;
  /** The administrator's kubeconfig. Fails if the server ends before it is ready. */
  readonly ready: Promise<string>;
  /** Its exit code, once it has ended. */
  readonly exit: Promise<number | null>;
  /** Sends a message to a module loaded with `--require`, over the IPC channel, and returns its reply. Fails after some seconds. */
  ask<Reply>(question: string, argument?: unknown): Promise<Reply>;
  /** Ends it with SIGKILL. */
  kill(): Promise<void>;
  /** Shuts it down gracefully and returns its exit code. */
  stop(): Promise<number | null>;
}

export interface LaunchOptions {
  readonly dataDir: string;
  /** Flags of the server. */
  readonly args?: readonly string[];
  /** Flags of Node, such as `--expose-gc`. */
  readonly nodeArgs?: readonly string[];
  /** Discards standard error, for tests that expect errors. They are in the log as well. */
  readonly quiet?: boolean;
  /** Adds an IPC channel for modules loaded with `--require`. */
  readonly ipc?: boolean;
}

/** Starts `tsukube serve` on a free port. Its warnings and errors go to standard error. */
export function spawnServer(dataDir: string, ...args: string[]): ServerProcess {
  return launchServer({ dataDir, args });
}

export function launchServer({ dataDir, args = [], nodeArgs = [], quiet, ipc }: LaunchOptions): ServerProcess {
  const command = [...nodeArgs, bundle, 'serve', '--secure-port=0', '--data-dir', dataDir, ...args];
  const child = spawn(process.execPath, command, {
    stdio: ['ignore', 'pipe', quiet ? 'ignore' : 'inherit', ...(ipc ? ['ipc' as const] : [])],
  });
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const ready = firstLine(child).then(() => readFileSync(join(dataDir, 'admin.kubeconfig'), 'utf8'));
  // Killing a server while it starts is not an error.
  ready.catch(() => {});
  const end = (signal: 'SIGKILL' | 'SIGTERM') => {
    child.kill(signal);
    return exit;
  };
  return {
    pid: child.pid as number,
    ready,
    exit,
    ask: (question, argument) => ask(child, question, argument),
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
  };
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (text.includes('\n')) resolve(text);
    });
    child.once('exit', () => reject(new Error('the server ended before it was ready')));
  });
}

const answerMs = 300_000;

function ask<Reply>(child: ChildProcess, question: string, argument: unknown): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const take = (message: unknown) => {
      const { question: answered, reply } = message as { question: string; reply: Reply };
      if (answered !== question) return;
      done();
      resolve(reply);
    };
    const timer = setTimeout(() => {
      done();
      reject(new Error(`the server did not answer to ${question}`));
    }, answerMs);
    const done = () => {
      clearTimeout(timer);
      child.off('message', take);
    };
    child.on('message', take);
    child.send({ question, argument });
  });
}

export interface CommandOutcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs `tsukube` and returns its outcome. */
export function tsukube(...args: string[]): Promise<CommandOutcome> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [bundle, ...args], (_error, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    );
  });
}
