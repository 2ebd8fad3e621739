import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommitProxy, startCommitProxy } from '../../../../tests/support/commit-proxy.ts';
import { databaseMissing, type RunningDatabase, startDatabase } from '../../../../tests/support/databases.ts';
import { runSql } from '../../../../tests/support/sql-stores.ts';
import { openMysql } from '../mysql/index.ts';
import { openPostgres } from '../postgres/index.ts';
import type { Store } from '../store.ts';

const kinds = { postgres: openPostgres, mysql: openMysql };
const VALUE = Buffer.from('value');

/** A write of `key`, which exists except for a create, and resolves with its revision. */
const operations = {
  create: async (store: Store, key: string) => (await store.create(key, VALUE)).revision,
  update: async (store: Store, key: string) => (await store.update(key, VALUE, await revisionOf(store, key))).revision,
  delete: async (store: Store, key: string) => store.delete(key, await revisionOf(store, key)),
};

async function revisionOf(store: Store, key: string): Promise<number> {
  return (await store.get(key))?.revision ?? 0;
}

for (const [kind, open] of Object.entries(kinds) as [keyof typeof kinds, typeof openPostgres][]) {
  describe.skipIf(databaseMissing[kind])(`a connection to ${kind} that is lost at the end of a transaction`, () => {
    let database: RunningDatabase;
    let proxy: CommitProxy;
    let store: Store;
    beforeAll(async () => {
      database = await startDatabase(kind);
      proxy = await startCommitProxy(kind, database.port);
      store = await open({ dsn: database.dsn.replace(String(database.port), String(proxy.port)) });
    });
    afterAll(async () => {
      await store?.close();
      await proxy?.close();
      await database?.stop();
    });

    /** Revisions of a key, read past the proxy. */
    const stored = async (key: string): Promise<number[]> => {
      const literal = kind === 'postgres' ? `'${key}'` : `X'${Buffer.from(key).toString('hex')}'`;
      const sql = `SELECT revision FROM tsukube_changes WHERE object_key = ${literal} ORDER BY revision`;
      return (await runSql(kind, database.dsn, sql)).map(({ revision }) => Number(revision));
    };

    it.each(Object.entries(operations))('%s, after the COMMIT: the write is found and acknowledged once', async (name, write) => {
      const key = `/registry/found/${name}`;
      if (name !== 'create') await store.create(key, Buffer.from('before'));
      const before = await stored(key);
      const forwarded = proxy.withholdAnswer();
      let answer: number | undefined;
      const written = write(store, key).then((revision) => {
        answer = revision;
        return revision;
      });
      await forwarded;
      await expect.poll(() => stored(key)).toHaveLength(before.length + 1);
      expect(answer).toBeUndefined();
      proxy.cut();
      expect([...before, await written]).toEqual(await stored(key));
    });

    it.each(Object.entries(operations))('%s, before the COMMIT: the write is made once', async (name, write) => {
      const key = `/registry/repeated/${name}`;
      if (name !== 'create') await store.create(key, Buffer.from('before'));
      const before = await stored(key);
      const arrived = proxy.withholdCommit();
      const written = write(store, key);
      await arrived;
      expect(await stored(key)).toEqual(before);
      proxy.cut();
      expect([...before, await written]).toEqual(await stored(key));
    });

    it('while the transaction waits for a lock: its end is awaited', async () => {
      const key = '/registry/late';
      const { revision } = await store.create(key, Buffer.from('before'));
      const held = runSql(kind, database.dsn, holdObject[kind](revision));
      await expect.poll(() => isHeld(kind, database)).toBe(true);
      const forwarded = proxy.withholdAnswer();
      const written = store.update(key, VALUE, revision);
      await forwarded;
      proxy.cut();
      await held;
      const { revision: answer } = await written;
      expect(await stored(key)).toEqual([revision, answer]);
      expect((await store.get(key))?.revision).toBe(answer);
    });

    it('of a group: each write of it is made once', async () => {
      const keys = Array.from({ length: 50 }, (_, i) => `/registry/group/${i}`);
      const forwarded = proxy.withholdAnswer();
      const written = Promise.all(keys.map((key) => store.create(key, VALUE)));
      await forwarded;
      await expect.poll(() => stored(keys.at(-1) as string)).toHaveLength(1);
      proxy.cut();
      const entries = await written;
      const { entries: found } = await store.list('/registry/group/');
      const byKey = (each: readonly { key: string; revision: number }[]) => new Map(each.map((e) => [e.key, e.revision]));
      expect(byKey(found)).toEqual(byKey(entries));
    });
  });
}

/** Locks an object for a second. */
const holdObject = {
  postgres: (revision: number) =>
    `BEGIN; UPDATE tsukube_objects SET size = size WHERE revision = ${revision}; SELECT pg_sleep(1); COMMIT`,
  mysql: (revision: number) =>
    `START TRANSACTION; SELECT * FROM tsukube_objects WHERE revision = ${revision} FOR UPDATE; DO SLEEP(1); COMMIT`,
};

async function isHeld(kind: keyof typeof kinds, { dsn }: RunningDatabase): Promise<boolean> {
  const sleeping = {
    postgres: `SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'`,
    mysql: `SELECT 1 FROM information_schema.processlist WHERE state = 'User sleep'`,
  };
  return (await runSql(kind, dsn, sleeping[kind])).length > 0;
}
