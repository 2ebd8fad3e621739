import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseMissing, type RunningDatabase, startDatabase } from '../../../../tests/support/databases.ts';
import { isLong } from '../../../../tests/support/progress.ts';
import { openTransaction, runSql } from '../../../../tests/support/sql-stores.ts';
import { openMysql } from '../mysql/index.ts';
import { openPostgres } from '../postgres/index.ts';
import type { Store } from '../store.ts';

const kinds = { postgres: openPostgres, mysql: openMysql };
const VALUE = Buffer.from('value');

/** Statements of an administrator, and the user of the server, who has rights to its own database only. */
const statements = {
  postgres: {
    createUser: `CREATE USER server PASSWORD 'server'; GRANT ALL ON SCHEMA public TO server`,
    makeReadOnly: `ALTER USER server SET default_transaction_read_only = on;
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'server'`,
    makeWritable: 'ALTER USER server RESET default_transaction_read_only',
    revoke: 'REVOKE INSERT, UPDATE ON tsukube_changes FROM server',
    grant: 'GRANT INSERT, UPDATE ON tsukube_changes TO server',
    lockObject: 'UPDATE tsukube_objects SET size = size WHERE revision = ',
    denied: /PostgreSQL: permission denied for table tsukube_changes/,
  },
  mysql: {
    createUser: `CREATE USER server@'127.0.0.1' IDENTIFIED BY 'server'; GRANT ALL ON tsukube.* TO server@'127.0.0.1'`,
    makeReadOnly: 'SET GLOBAL read_only = 1',
    makeWritable: 'SET GLOBAL read_only = 0',
    revoke: `REVOKE INSERT ON tsukube.* FROM server@'127.0.0.1'`,
    grant: `GRANT INSERT ON tsukube.* TO server@'127.0.0.1'`,
    lockObject: 'UPDATE tsukube_objects SET size = size + 1 WHERE revision = ',
    denied: /MySQL: INSERT command denied/,
  },
};

for (const [kind, open] of Object.entries(kinds) as [keyof typeof kinds, typeof openPostgres][]) {
  describe.skipIf(databaseMissing[kind])(`${kind} refuses a transaction`, () => {
    const sql = statements[kind];
    let database: RunningDatabase;
    let store: Store;
    const admin = (text: string) => runSql(kind, database.dsn, text);
    beforeAll(async () => {
      database = await startDatabase(kind);
      await admin(sql.createUser);
      const dsn = database.dsn.replace(/\/\/.*@/, '//server:server@');
      store = await open({ dsn, timeoutMs: 20_000 });
    });
    afterAll(async () => {
      await store?.close();
      await database?.stop();
    });

    it('because of a deadlock: the write is made once', async () => {
      const { key, revision } = await store.create('/registry/deadlock', VALUE);
      const other = await openTransaction(kind, database.dsn);
      await other.run(`${sql.lockObject}${revision}`);
      // The store holds the revision row and waits for the object; the other has the object and waits for the revision row.
      const written = store.update(key, VALUE, revision);
      await expect.poll(() => isRevisionLocked(kind, database)).toBe(true);
      const lock = other.run('SELECT newest FROM tsukube_revision WHERE id = 1 FOR UPDATE');
      const outcome = await lock.then(
        () => 'the store gave way',
        (error: Error) => error.message,
      );
      await other.end();
      expect(outcome).toMatch(/the store gave way|[Dd]eadlock/);
      expect((await written).revision).toBe(revision + 1);
      expect((await store.get(key))?.revision).toBe(revision + 1);
    });

    it.runIf(isLong)('because of a lock that is held longer than the lock timeout: the write is made once', async () => {
      const other = await openTransaction(kind, database.dsn);
      await other.run('SELECT newest FROM tsukube_revision WHERE id = 1 FOR UPDATE');
      const before = performance.now();
      const written = store.create('/registry/locked', VALUE);
      setTimeout(() => void other.end(), 7_000);
      const { revision } = await written;
      expect(performance.now() - before).toBeGreaterThan(6_500);
      expect((await store.get('/registry/locked'))?.revision).toBe(revision);
    });

    it('because it is read-only: writes wait, the health check names it', async () => {
      await admin(sql.makeReadOnly);
      try {
        const written = store.create('/registry/read-only', VALUE);
        await expect.poll(() => health(store), { timeout: 10_000 }).toMatch(/read-only/);
        await admin(sql.makeWritable);
        const { revision } = await written;
        expect((await store.get('/registry/read-only'))?.revision).toBe(revision);
        await expect.poll(() => health(store)).toBe('healthy');
      } finally {
        await admin(sql.makeWritable);
      }
    });

    it('because of missing rights: writes are refused, reads go on, and the health check names the right', async () => {
      await store.create('/registry/permitted', VALUE);
      await admin(sql.revoke);
      try {
        // MySQL checks rights to a database when a session selects it.
        if (kind === 'mysql') await killSessions(database);
        const refused = { name: 'Unavailable', unwritten: true, message: expect.stringMatching(sql.denied) };
        await expect(store.create('/registry/forbidden', VALUE)).rejects.toMatchObject(refused);
        expect((await store.get('/registry/permitted'))?.value).toEqual(VALUE);
        expect(await health(store)).toMatch(sql.denied);
      } finally {
        await admin(sql.grant);
      }
      if (kind === 'mysql') await killSessions(database);
      await store.create('/registry/forbidden', VALUE);
      expect(await health(store)).toBe('healthy');
    });
  });
}

function health(store: Store): Promise<string> {
  return store.ping().then(() => 'healthy', String);
}

async function isRevisionLocked(kind: keyof typeof kinds, { dsn }: RunningDatabase): Promise<boolean> {
  const waiting = {
    postgres: `SELECT 1 FROM pg_stat_activity WHERE usename = 'server' AND wait_event_type = 'Lock'`,
    mysql: `SELECT 1 FROM information_schema.processlist WHERE user = 'server' AND info LIKE 'INSERT INTO tsukube_objects%'`,
  };
  return (await runSql(kind, dsn, waiting[kind])).length > 0;
}

async function killSessions({ dsn }: RunningDatabase): Promise<void> {
  const rows = await runSql('mysql', dsn, `SELECT id FROM information_schema.processlist WHERE user = 'server'`);
  for (const { id, ID = id } of rows) await runSql('mysql', dsn, `KILL ${ID}`).catch(() => {});
}
