import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startDatabase } from './database.mjs';
import { readKubeconfig } from './kubeconfig.mjs';

/**
 * @typedef {import('./launcher.mjs').Launcher} Launcher
 * @typedef {import('./launcher.mjs').Launched} Launched
 * @typedef {import('node:child_process').ChildProcessByStdio<null, import('node:stream').Readable, null>} Server
 */

const command = fileURLToPath(new URL('../../packages/tsukube/dist/tsukube.cjs', import.meta.url));

const readyTimeoutMs = 60_000;
const stopTimeoutMs = 10_000;

/** @returns {Promise<number>} */
async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (probe.address());
  probe.close();
  await once(probe, 'close');
  return port;
}

/** @param {Server} server @returns {Promise<void>} resolves with the ready line on standard output */
async function readyLine(server) {
  const lines = createInterface({ input: server.stdout });
  const deadline = AbortSignal.timeout(readyTimeoutMs);
  const exited = once(server, 'exit', { signal: deadline }).then(([code]) => {
    throw new Error(`the server ended with code ${code} before it was ready`);
  });
  await Promise.race([once(lines, 'line', { signal: deadline }), exited]);
  exited.catch(() => undefined); // from here on only the launcher ends the process
}

/** @param {Server} server */
async function end(server) {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exited = once(server, 'exit');
  server.kill('SIGTERM');
  const impatience = setTimeout(() => server.kill('SIGKILL'), stopTimeoutMs);
  await exited;
  clearTimeout(impatience);
}

/**
 * LMDB in a new folder with fsync of every write, the default of `npm start`, or a new database server.
 * @param {'lmdb' | 'postgres' | 'mysql'} storage
 * @returns {Launcher}
 */
export function launchTsukube(storage = 'lmdb') {
  /** @type {Awaited<ReturnType<typeof startDatabase>> | undefined} */
  let database;
  let folder = '';
  /** @type {Server | undefined} */
  let server;

  /** @returns {Promise<Launched>} */
  const spawnServer = async () => {
    const kubeconfig = join(folder, 'admin.kubeconfig');
    const port = await freePort();
    const stored = database ? ['--storage', storage, '--storage-dsn', database.dsn] : [];
    const place = ['--data-dir', join(folder, 'data'), '--kubeconfig-out', kubeconfig];
    const args = ['serve', ...place, '--secure-port', String(port), ...stored];
    const begun = performance.now();
    server = spawn(process.execPath, [command, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    await readyLine(server);
    const readyMs = performance.now() - begun;
    const pids = server.pid === undefined ? [] : [server.pid];
    return { readyMs, contender: { label: 'tsukube', endpoint: readKubeconfig(kubeconfig), pids, disposable: true } };
  };

  const stop = async () => {
    if (server) await end(server);
    await database?.stop();
    database = undefined;
    if (folder) rmSync(folder, { recursive: true, force: true });
    folder = '';
  };

  process.on('exit', () => {
    server?.kill('SIGKILL');
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  return {
    start: async () => {
      await stop();
      folder = mkdtempSync(join(tmpdir(), 'tsukube-bench-'));
      if (storage !== 'lmdb') database = await startDatabase(storage);
      return spawnServer();
    },
    restart: async () => {
      if (server) await end(server);
      return spawnServer();
    },
    stop,
  };
}
