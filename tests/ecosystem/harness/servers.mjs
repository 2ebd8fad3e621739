import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** @typedef {import('./suite.mjs').TestServer} TestServer */

const program = fileURLToPath(new URL('../../../packages/tsukube/dist/tsukube.cjs', import.meta.url));
/** Runs `tsukube`. */
export const command = [process.execPath, program];

const readyTimeoutMs = 60_000;
const stopTimeoutMs = 10_000;

/**
 * Starts servers for one suite; `stopAll` stops the remaining ones.
 * @param {string | undefined} running  kubeconfig of a server to use instead
 */
export function serverPool(running) {
  /** @type {Set<TestServer>} */
  const open = new Set();
  return {
    /** @param {readonly string[]} [flags] @returns {Promise<TestServer>} */
    async start(flags = []) {
      if (running !== undefined) return useRunning(running);
      const server = await launch(flags);
      const tracked = { ...server, stop: () => server.stop().finally(() => open.delete(tracked)) };
      open.add(tracked);
      return tracked;
    },
    async stopAll() {
      await Promise.all([...open].map((server) => server.stop()));
    },
  };
}

/** @param {string} kubeconfig @returns {TestServer} */
function useRunning(kubeconfig) {
  const url = /server:\s*["']?([^\s"']+)/.exec(readFileSync(kubeconfig, 'utf8'))?.[1];
  if (url === undefined) throw new Error(`${kubeconfig} names no server`);
  return { url, kubeconfig, restart: async () => undefined, stop: async () => undefined };
}

/** @param {readonly string[]} flags @returns {Promise<TestServer>} */
async function launch(flags) {
  const folder = mkdtempSync(join(tmpdir(), 'tsukube-ecosystem-'));
  const kubeconfig = join(folder, 'admin.kubeconfig');
  const common = [`--data-dir=${folder}`, '--storage=memory', `--kubeconfig-out=${kubeconfig}`, ...flags];
  let child = await spawnServer(folder, [...common, '--secure-port=0']);
  const { url } = child;
  return {
    url,
    kubeconfig,
    async restart() {
      await child.end('SIGKILL');
      child = await spawnServer(folder, [...common, `--secure-port=${new URL(url).port}`]);
    },
    async stop() {
      await child.end('SIGTERM');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** @param {string} cwd @param {readonly string[]} args */
async function spawnServer(cwd, args) {
  const child = spawn(process.execPath, [program, 'serve', ...args], { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const exited = once(child, 'exit');
  const line = await readyLine(child.stdout, exited);
  return {
    url: /https:\/\/[^\s,]+/.exec(line)?.[0] ?? '',
    /** @param {'SIGKILL' | 'SIGTERM'} signal */
    async end(signal) {
      child.kill(signal);
      const impatience = setTimeout(kill, stopTimeoutMs);
      await exited;
      clearTimeout(impatience);
      process.off('exit', kill);
    },
  };
}

/** @param {import('node:stream').Readable} stdout @param {Promise<unknown[]>} exited @returns {Promise<string>} */
async function readyLine(stdout, exited) {
  const lines = createInterface({ input: stdout });
  const [line] = await Promise.race([
    once(lines, 'line', { signal: AbortSignal.timeout(readyTimeoutMs) }),
    exited.then(([code]) => Promise.reject(new Error(`the server ended with ${code} before it was ready`))),
  ]);
  return line;
}

/** @returns {string} the folder created by `tsukube envtest` */
export function envtestAssets() {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'envtest', '-p', 'path'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`tsukube envtest failed: ${stderr.trim()}`);
  return stdout.trim();
}
