import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';

/** @typedef {import('./suite.mjs').CommandOptions} CommandOptions @typedef {import('./suite.mjs').Running} Running */

const keptLines = 30;

/**
 * Runs commands in separate process groups, so that a deadline also ends their children. Every line is logged.
 * @param {{ folder: string, log: string, signal: AbortSignal }} settings
 */
export function commands({ folder, log, signal }) {
  /** @param {string} command @param {readonly string[]} args @param {CommandOptions} [options] @returns {Running} */
  const start = (command, args, options = {}) => {
    appendFileSync(log, `$ ${[command, ...args].join(' ')}\n`);
    const child = spawn(command, args, {
      cwd: options.cwd ?? folder,
      env: { ...process.env, ...options.env },
      stdio: [options.input === true ? 'pipe' : 'ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const end = () => endGroup(child.pid);
    signal.addEventListener('abort', end, { once: true });
    /** @type {Promise<number>} */
    const exited = new Promise((resolve, reject) => {
      child.on('error', reject).on('close', (code) => resolve(code ?? 1));
    });
    const settled = exited.finally(() => signal.removeEventListener('abort', end));
    settled.catch(() => undefined); // the awaiting caller gets the error
    child.stdin?.on('error', () => undefined); // the program has exited
    return {
      lines: logged(merged(child), log, settled),
      exited: settled,
      write: (text) => void child.stdin?.write(text),
      end,
    };
  };

  /** @param {string} command @param {readonly string[]} args @param {CommandOptions} [options] */
  const exec = async (command, args, options) => {
    signal.throwIfAborted();
    const running = start(command, args, options);
    /** @type {string[]} */
    const lines = [];
    for await (const line of running.lines) lines.push(line);
    const code = await running.exited;
    signal.throwIfAborted();
    if (code === 0) return lines.join('\n');
    throw new Error(`${command} ${args[0] ?? ''} ended with ${code}:\n${lines.slice(-keptLines).join('\n')}`);
  };
  return { spawn: start, exec };
}

/** @param {number | undefined} pid */
function endGroup(pid) {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended in the meantime.
  }
}

/** @param {import('node:child_process').ChildProcess} child */
function merged(child) {
  const both = new PassThrough();
  let open = 2;
  for (const stream of [child.stdout, child.stderr]) {
    stream?.pipe(both, { end: false });
    stream?.on('end', () => {
      open -= 1;
      if (open === 0) both.end();
    });
  }
  child.on('error', () => both.end());
  return both;
}

/** @param {import('node:stream').Readable} stream @param {string} log @param {Promise<number>} exited */
async function* logged(stream, log, exited) {
  for await (const line of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
    appendFileSync(log, `${line}\n`);
    yield line;
  }
  await exited;
}
