import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { codeBlocks, readDocument, section } from '../docs/documents.ts';
import { clientFor } from '../support/client.ts';
import { hasCommand } from '../support/commands.ts';
import { type EtcdCluster, etcdMissing, startEtcdCluster } from '../support/etcd.ts';
import { configMap } from '../support/server.ts';
import { bundle, notBuilt } from '../support/server-process.ts';

const [startBlock = '', restartBlock = ''] = codeBlocks(section(readDocument('docs/operations.md'), '## Replicas'), 'sh').map(
  ({ code }) => code,
);
const configMaps = '/api/v1/namespaces/default/configmaps';

let folder: string;
let etcd: EtcdCluster | undefined;
let shell: ChildProcess | undefined;

afterEach(async () => {
  for (const i of [1, 2, 3]) killHolder(join(folder, `replica-${i}`));
  shell?.kill('SIGKILL');
  await etcd?.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

function pidOf(dataDir: string): number | undefined {
  if (!readdirSync(dataDir).includes('server.lock')) return undefined;
  return JSON.parse(readFileSync(join(dataDir, 'server.lock'), 'utf8')).pid;
}

function killHolder(dataDir: string): void {
  try {
    const pid = pidOf(dataDir);
    if (pid) process.kill(pid, 'SIGKILL');
  } catch {
    // It was not started.
  }
}

/** A number to which 1, 2 and 3 can be appended to get free ports. */
async function freePortStem(): Promise<number> {
  for (let stem = 2000 + (process.pid % 900); ; stem++) {
    const free = await Promise.all([1, 2, 3].map((i) => isFree(stem * 10 + i)));
    if (free.every(Boolean)) return stem;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, () => server.close(() => resolve(true)));
  });
}

/** A folder with the command `tsukube`. */
function commands(): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'tsukube'), `#!/bin/sh\nexec "${process.execPath}" "${bundle}" "$@"\n`);
  chmodSync(join(bin, 'tsukube'), 0o755);
  return [bin, process.env.PATH].join(delimiter);
}

/** Runs the blocks one after the other in one shell, and calls back after each. */
async function runBlocks(blocks: readonly string[], after: (block: number) => Promise<void>): Promise<void> {
  const env = { PATH: commands(), HOME: folder };
  const child = spawn('sh', ['-e'], { cwd: folder, env, stdio: ['pipe', 'pipe', 'inherit'] });
  shell = child;
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  for (const [i, block] of blocks.entries()) {
    child.stdin.write(`${block}\necho block ${i} done\n`);
    await expect.poll(() => output, { timeout: 90_000 }).toContain(`block ${i} done\n`);
    await after(i);
  }
  child.stdin.end();
}

describe.skipIf(notBuilt || Boolean(etcdMissing) || !hasCommand('kubectl'))('docs/operations.md: replicas', () => {
  it('start and are restarted one after the other, as written', { timeout: 240_000 }, async () => {
    folder = mkdtempSync(join(tmpdir(), 'tsukube-operations-'));
    etcd = await startEtcdCluster(3);
    const stem = await freePortStem();
    // The addresses of this machine, and a shorter delay.
    const substitutes = [
      ['http://10.0.0.1:2379,http://10.0.0.2:2379,http://10.0.0.3:2379', etcd.endpoints.join(',')],
      ['--secure-port 644$1', `--secure-port ${stem}$1`],
      ['--shutdown-delay-duration 10s', '--shutdown-delay-duration 1s'],
    ] as const;
    for (const [written] of substitutes) expect(startBlock).toContain(written);
    const start = substitutes.reduce((code, [written, real]) => code.replace(written, real), startBlock);
    const dataDirs = [1, 2, 3].map((i) => join(folder, `replica-${i}`));
    const pids: (number | undefined)[][] = [];
    await runBlocks([start, restartBlock], async (block) => {
      pids.push(dataDirs.map(pidOf));
      for (const dataDir of dataDirs) {
        const client = clientFor(readFileSync(join(dataDir, 'admin.kubeconfig'), 'utf8'));
        expect((await client.get('/readyz')).text).toBe('ok');
        if (block === 0) await client.send('POST', configMaps, configMap(dataDir.slice(-9)));
        const names = (await client.get(configMaps)).body.items.map(
          ({ metadata }: { metadata: { name: string } }) => metadata.name,
        );
        if (block === 1) expect(names).toEqual(expect.arrayContaining(['replica-1', 'replica-2', 'replica-3']));
        client.close();
      }
    });
    expect(new Set(pids.flat()).size).toBe(6);
  });
});
