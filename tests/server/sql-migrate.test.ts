import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLmdb } from '@tsukube/storage/lmdb';
import { openMysql } from '@tsukube/storage/mysql';
import { openPostgres } from '@tsukube/storage/postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Any, type Client, clientFor } from '../support/client.ts';
import { databaseMissing, type RunningDatabase, startDatabase } from '../support/databases.ts';
import { configMap } from '../support/server.ts';
import { bundle, launchServer, notBuilt } from '../support/server-process.ts';
import { emptyDatabase, runSql } from '../support/sql-stores.ts';

const path = '/api/v1/namespaces/default/configmaps';
const events = '/api/v1/namespaces/default/events';
const open = { postgres: openPostgres, mysql: openMysql };
const MANY = 2_000;

interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs `tsukube migrate`. */
function migrate(from: string, to: string, ...more: string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [bundle, 'migrate', '--from', from, '--to', to, ...more], (_error, out, err) =>
      resolve({ code: child.exitCode, out, err }),
    );
  });
}

async function withServer<T>(dataDir: string, args: readonly string[], use: (client: Client) => Promise<T>): Promise<T> {
  const server = launchServer({ dataDir, args, quiet: true });
  const client = clientFor(await server.ready);
  try {
    return await use(client);
  } finally {
    client.close();
    await server.stop();
  }
}

/** ConfigMaps by name, without resourceVersion. */
async function objectsOf(client: Client): Promise<Map<string, Any>> {
  const { items } = (await client.get(path)).body;
  return new Map(
    items.map(({ metadata: { resourceVersion, ...metadata }, ...object }: Any) => [metadata.name, { ...object, metadata }]),
  );
}

for (const kind of ['postgres', 'mysql'] as const) {
  describe.skipIf(notBuilt || databaseMissing[kind])(`tsukube migrate with ${kind}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'tsukube-sql-migrate-'));
    let database: RunningDatabase;
    let onSql: string;
    beforeAll(async () => {
      database = await startDatabase(kind);
      onSql = `--storage=${kind} --storage-dsn=${database.dsn}`;
    });
    beforeEach(() => emptyDatabase(kind, database));
    afterAll(async () => {
      await database?.stop();
      rmSync(folder, { recursive: true });
    });

    it('copies all objects from LMDB and back, and TTLs with them', { timeout: 120_000 }, async () => {
      const [first, second] = [join(folder, 'first'), join(folder, 'second')];
      const pki = `--cert-dir=${join(first, 'pki')}`;
      const made = await withServer(first, [], async (client) => {
        for (let i = 0; i < 30; i++) await client.send('POST', path, configMap(`moved-${i}`, {}, { text: 'x'.repeat(i * 10) }));
        await client.send('PUT', `${path}/moved-7`, configMap('moved-7', { changed: 'yes' }));
        await client.send('DELETE', `${path}/moved-8`);
        expect((await client.send('POST', events, event)).status).toBe(201);
        return objectsOf(client);
      });
      const copied = expect.stringMatching(
        /copied \d+ of \d+\nchecked \d+ of \d+\nCopied \d+ objects\. Both stores have the same/,
      );
      expect(await migrate(`--data-dir ${first}`, onSql)).toEqual({ code: 0, err: '', out: copied });
      expect(await secondsToLive(kind, database)).toBeGreaterThan(3_500);

      await withServer(join(folder, 'sql'), [...onSql.split(' '), pki], async (client) => {
        expect(await objectsOf(client)).toEqual(made);
        // The new resourceVersions are those of the new store, and usable.
        const { body } = await client.get(`${path}/moved-7`);
        expect((await client.send('PUT', `${path}/moved-7`, { ...body, data: { on: kind } })).status).toBe(200);
        expect((await client.send('PUT', `${path}/moved-7`, { ...body, data: { on: 'neither' } })).status).toBe(409);
        const watch = await client.watch(
          `${path}?watch=1&fieldSelector=metadata.name%3Dmoved-7&resourceVersion=${body.metadata.resourceVersion}`,
        );
        expect((await watch.next()).object).toMatchObject({ metadata: { name: 'moved-7' }, data: { on: kind } });
        watch.close();
      });

      expect(await migrate(onSql, `--data-dir ${second} --event-ttl 2s`)).toEqual({ code: 0, err: '', out: copied });
      await withServer(second, [pki], async (client) => {
        const moved = await objectsOf(client);
        expect([...moved.keys()]).toEqual([...made.keys()]);
        for (const [name, object] of made) expect(moved.get(name).metadata.uid).toBe(object.metadata.uid);
        expect(moved.get('moved-7').data).toEqual({ on: kind });
        const isThere = async () => (await client.get(`${events}/${event.metadata.name}`)).status;
        await expect.poll(isThere, { timeout: 10_000 }).toBe(404);
      });
    });

    it('goes on after it was killed, and says what differs', { timeout: 120_000 }, async () => {
      const dataDir = join(folder, 'many');
      const source = await openLmdb({ path: join(dataDir, 'data'), noSync: true });
      const value = (i: number) =>
        Buffer.from(JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: `m-${i}` } }));
      const key = (i: number) => `/registry/configmaps/default/m-${i}`;
      await Promise.all(Array.from({ length: MANY }, (_, i) => source.create(key(i), value(i))));
      await source.close();

      const from = `--data-dir ${dataDir}`;
      const child = spawn(process.execPath, [bundle, 'migrate', '--from', from, '--to', onSql], { stdio: 'ignore' });
      const count = async () => Number((await runSql(kind, database.dsn, 'SELECT COUNT(*) AS n FROM tsukube_objects'))[0]?.n);
      await expect.poll(count, { interval: 5, timeout: 20_000 }).toBeGreaterThan(0);
      child.kill('SIGKILL');
      await once(child, 'exit');
      const found = await count();
      expect(found).toBeLessThan(MANY);

      const refused = { code: 1, err: expect.stringContaining(`the target has ${found} objects; --resume goes on`) };
      expect(await migrate(from, onSql)).toMatchObject(refused);
      const resumed = `Copied ${MANY - found} objects, ${found} were there already. Both stores have the same objects.`;
      expect(await migrate(from, onSql, '--resume')).toMatchObject({ code: 0, out: expect.stringContaining(resumed) });

      const target = await open[kind]({ dsn: database.dsn });
      const { entries } = await target.list('/registry/', { limit: 1 });
      await target.delete(entries[0]?.key as string, entries[0]?.revision as number);
      await target.create('/registry/configmaps/default/stranger', value(0));
      await target.close();
      const differing = { code: 1, err: expect.stringContaining('1 objects differ between the stores') };
      expect(await migrate(from, onSql, '--resume')).toMatchObject(differing);
    });
  });
}

const event = {
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'moved', namespace: 'default' },
  involvedObject: { kind: 'ConfigMap', name: 'moved-7', namespace: 'default' },
  reason: 'Moved',
  type: 'Normal',
};

async function secondsToLive(kind: 'postgres' | 'mysql', { dsn }: RunningDatabase): Promise<number> {
  const left = {
    postgres: 'extract(epoch FROM min(expires) - now())',
    mysql: 'TIMESTAMPDIFF(SECOND, UTC_TIMESTAMP(), MIN(expires))',
  };
  const [row] = await runSql(kind, dsn, `SELECT ${left[kind]} AS seconds FROM tsukube_objects WHERE kind = 'Event'`);
  return Number(row?.seconds);
}
