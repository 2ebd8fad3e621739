import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, statfsSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { Trial } from '../crash/trial.ts';
import { type Client, clientFor } from '../support/client.ts';
import { until } from '../support/definitions.ts';
import { seeded } from '../support/random.ts';
import { notBuilt, type ServerProcess } from '../support/server-process.ts';
import { isSkipped, limitMs, rounds, seed, tellRound } from './settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'tsukube-full-'));
const disk = join(folder, 'disk');
const ballast = join(disk, 'ballast');
const diskMebibytes = 128;

/** The test mounts a small file system, which needs root and a kernel that permits it. */
const cannotMount = isSkipped('disk-full') || notBuilt || !mount();
let trial: Trial | undefined;

function mount(): boolean {
  mkdirSync(disk);
  return spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMebibytes}m,mode=0700`, 'tmpfs', disk]).status === 0;
}

afterAll(async () => {
  await trial?.abandon();
  if (!cannotMount) spawnSync('umount', ['--lazy', disk]);
  rmSync(folder, { recursive: true, force: true });
});

/** Writes a file until the disk is full. */
function fillDisk(): void {
  const file = openSync(ballast, 'w');
  const block = Buffer.alloc(1 << 16);
  try {
    while (statfsSync(disk).bavail > 0) writeSync(file, block);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(file);
  }
}

const large = { metadata: { generateName: 'large-' }, data: { text: 'x'.repeat(200_000) } };

/** Writes until a write is refused: the database reuses free pages first. */
async function refusedWrite(client: Client) {
  for (let i = 0; i < 500; i++) {
    const reply = await client.send('POST', '/api/v1/namespaces/default/configmaps', large);
    if (reply.status !== 201) return reply;
  }
  throw new Error('a full disk took 100 MB');
}

/** While the disk is full, writes are refused with etcd's message and reads continue; after that, writes succeed again. */
async function fillAndFree({ ready }: ServerProcess): Promise<void> {
  const client = clientFor(await ready);
  fillDisk();
  const { status, body } = await refusedWrite(client);
  expect({ status, message: body.message }).toEqual({ status: 500, message: 'etcdserver: mvcc: database space exceeded' });
  expect((await client.get('/api/v1/namespaces/crash/configmaps')).status).toBe(200);
  expect((await client.get('/livez')).text).toBe('ok');
  await pause(300);
  unlinkSync(ballast);
  expect((await client.send('POST', '/api/v1/namespaces/default/configmaps', large)).status).toBe(201);
  await client.send('DELETE', '/api/v1/namespaces/default/configmaps');
  await until(async () => (await client.get('/readyz')).text === 'ok');
  client.close();
}

describe.skipIf(cannotMount)('a server with a full disk', () => {
  it('refuses writes, serves reads, and recovers without a restart', { timeout: limitMs }, async () => {
    const random = seeded(seed);
    trial = new Trial(join(disk, 'data'), random, { args: ['--etcd-compaction-interval=0'], failsAtTimes: true });
    await trial.begin();
    for (let round = 1; round <= rounds; round++) {
      await trial.runThrough(50 + random(100), fillAndFree);
      tellRound(
        'disk-full',
        round,
        `${trial.log.count('acknowledged')} acknowledged writes, ${trial.log.count('refused')} refused`,
      );
    }
    await trial.concludeAndCheck();
  });
});
