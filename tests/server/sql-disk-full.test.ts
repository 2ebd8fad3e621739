import { spawnSync } from 'node:child_process';
import { chmodSync, closeSync, mkdirSync, mkdtempSync, openSync, rmSync, statfsSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningServer, startServer } from '@tsukube/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, clientFor } from '../support/client.ts';
import { databaseMissing, type RunningDatabase, startDatabase } from '../support/databases.ts';
import { configMap, newNamespace } from '../support/server.ts';

/** Small logs, so that the disk can be small. Transaction logs have a size from the start, or a place outside of the disk. */
const args = {
  postgres: ['-c', 'min_wal_size=32MB', '-c', 'max_wal_size=64MB'],
  mysql: ['--innodb-log-file-size=8M', '--innodb-temp-data-file-path=ibtmp1:1M:autoextend'],
};

/** MariaDB 10.11 may hang and end itself, in particular if it has no space for a value that does not fit into a page. */
const valueBytes = { postgres: 100_000, mysql: 2_000 };

for (const kind of ['postgres', 'mysql'] as const) {
  const folder = mkdtempSync(join(tmpdir(), 'tsukube-sql-full-'));
  const disk = join(folder, 'disk');
  const ballast = join(disk, 'ballast');
  chmodSync(folder, 0o755);
  mkdirSync(disk);
  const reason =
    databaseMissing[kind] ??
    (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=160m,mode=0777', 'tmpfs', disk]).status !== 0 && 'cannot mount');

  describe.skipIf(reason)(`a full disk of ${kind}`, () => {
    let database: RunningDatabase;
    let server: RunningServer;
    let client: Client;
    beforeAll(async () => {
      const logFolder = join(folder, 'log');
      mkdirSync(logFolder);
      database = await startDatabase(kind, { folder: disk, args: args[kind], ...(kind === 'postgres' && { logFolder }) });
      server = await startServer({ storage: kind, storageDsn: database.dsn, securePort: 0, dataDir: join(folder, 'data') });
      client = clientFor(server.kubeconfig);
    });
    afterAll(async () => {
      client?.close();
      await server?.close();
      await database?.kill();
    });

    it('refuses writes with the message of etcd, serves reads, and takes writes again without a restart', {
      timeout: 90_000,
    }, async () => {
      const path = await newNamespace(client);
      const acknowledged: string[] = [];
      await expect.poll(async () => (await client.get('/readyz')).text, { timeout: 20_000 }).toBe('ok');
      fill(ballast, disk);
      const refusal = await writeUntilRefused(client, path, acknowledged, valueBytes[kind]);
      const isDown = kind === 'mysql' && [503, 504].includes(refusal.status);
      if (!isDown) {
        expect(refusal).toEqual({ status: 500, message: 'etcdserver: mvcc: database space exceeded' });
        expect(await names(client, path)).toEqual(acknowledged.sort());
        expect((await client.get('/livez/etcd')).text).toBe('ok');
      }

      unlinkSync(ballast);
      if (isDown) {
        await database.kill();
        await database.start();
      }
      const create = async () => (await client.send('POST', path, configMap('after'))).status;
      await expect.poll(create, { timeout: 20_000 }).toBe(201);
      // The last write may have taken effect if the database has ended.
      const expected = ['after', ...acknowledged].sort();
      expect(await names(client, path)).toEqual(isDown ? expect.arrayContaining(expected) : expected);
      await expect.poll(async () => (await client.get('/readyz')).text, { timeout: 20_000 }).toBe('ok');
    });
  });

  afterAll(() => {
    spawnSync('umount', ['--lazy', disk]);
    rmSync(folder, { recursive: true, force: true });
  });
}

/** Writes a file until the disk is full. */
function fill(file: string, disk: string): void {
  const open = openSync(file, 'w');
  const block = Buffer.alloc(1 << 14);
  try {
    while (statfsSync(disk).bavail > 0) writeSync(open, block);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(open);
  }
}

/** The database uses free pages of its files first. */
async function writeUntilRefused(client: Client, path: string, acknowledged: string[], bytes: number) {
  for (let i = 0; i < 3_000; i++) {
    const name = `large-${i}`;
    const { status, body } = await client.send('POST', path, configMap(name, {}, { text: noise(i, bytes) }));
    if (status !== 201) return { status, message: body.message };
    acknowledged.push(name);
  }
  throw new Error('the full disk took all writes');
}

/** Text that is not compressed well. */
function noise(seed: number, bytes: number): string {
  let state = seed + 1;
  let text = '';
  while (text.length < bytes) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += state.toString(36);
  }
  return text;
}

async function names(client: Client, path: string): Promise<string[]> {
  const { items } = (await client.get(path)).body;
  return items
    .map(({ metadata }: { metadata: { name: string } }) => metadata.name)
    .filter((name: string) => name !== 'kube-root-ca.crt')
    .sort();
}
