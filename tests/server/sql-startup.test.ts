import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '@tsukube/storage';
import { openMysql } from '@tsukube/storage/mysql';
import { openPostgres } from '@tsukube/storage/postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DatabaseKind, databaseMissing, type RunningDatabase, startDatabase } from '../support/databases.ts';
import { bundle, notBuilt } from '../support/server-process.ts';
import { runSql } from '../support/sql-stores.ts';

const folder = mkdtempSync(join(tmpdir(), 'tsukube-sql-startup-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Starts the command, which must end by itself, and returns its exit code and standard error. */
async function refusal(...args: string[]): Promise<{ readonly code: number; readonly text: string }> {
  const command = [bundle, 'serve', '--secure-port=0', '--data-dir', join(folder, 'data'), ...args];
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'ignore', 'pipe'] });
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const [code] = await once(child, 'exit');
  return { code, text };
}

describe.skipIf(notBuilt)('a DSN that cannot be used', () => {
  it.each([
    [
      ['--storage=postgres', '--storage-dsn=nonsense'],
      '--storage-dsn: it must have the form postgres://USER:PASSWORD@HOST:5432/DATABASE',
    ],
    [
      ['--storage=mysql', '--storage-dsn=postgres://h/d'],
      '--storage-dsn: it must have the form mysql://USER:PASSWORD@HOST:3306/DATABASE',
    ],
    [['--storage=postgres', '--storage-dsn=postgres://u:secret@h'], 'it names no database'],
    [['--storage=postgres', '--storage-dsn=postgres://u:secret@h:99999/d'], '"99999" is not a port'],
    [['--storage=postgres', '--storage-dsn=postgres://u:secret@h/d?colour=red'], 'unknown parameter "colour"'],
  ])('%j', async (args, message) => {
    const { code, text } = await refusal(...args);
    expect(code).toBe(2);
    expect(text).toContain(message);
    expect(text).not.toContain('secret');
  });
});

const open = { postgres: openPostgres, mysql: openMysql };

/** Statements that create a user without rights, and one that makes the database read-only. */
const preparations = {
  postgres: [
    `CREATE USER weak PASSWORD 'weak'; REVOKE CREATE ON SCHEMA public FROM PUBLIC`,
    'ALTER DATABASE tsukube SET default_transaction_read_only = on',
    'BEGIN READ WRITE; ALTER DATABASE tsukube RESET default_transaction_read_only; COMMIT',
  ],
  mysql: [
    `CREATE USER weak@'127.0.0.1' IDENTIFIED BY 'weak'; GRANT SELECT ON tsukube.* TO weak@'127.0.0.1'`,
    'SET GLOBAL read_only = 1',
    'SET GLOBAL read_only = 0',
  ],
} as const satisfies Record<DatabaseKind, readonly string[]>;

for (const kind of ['postgres', 'mysql'] as const) {
  describe.skipIf(databaseMissing[kind])(`a database that cannot be used: ${kind}`, () => {
    const [createUser, makeReadOnly, makeWritable] = preparations[kind];
    let database: RunningDatabase;
    const withUser = (credentials: string) => database.dsn.replace(/\/\/.*@/, `//${credentials}@`);
    beforeAll(async () => {
      database = await startDatabase(kind);
      await runSql(kind, database.dsn, createUser);
    });
    afterAll(() => database?.stop());

    it('names a wrong password, and the command ends', async (context) => {
      const dsn = withUser('tsukube:wrong');
      await expect(open[kind]({ dsn })).rejects.toThrow(/cannot connect to .*(password authentication failed|Access denied)/);
      if (notBuilt) return context.skip('the command is not built');
      const file = join(folder, 'dsn');
      writeFileSync(file, `${dsn}\n`);
      const { code, text } = await refusal(`--storage=${kind}`, `--storage-dsn-file=${file}`);
      expect([code, text]).toEqual([1, expect.stringMatching(/password authentication failed|Access denied/)]);
    });

    it('names missing rights', async () => {
      await expect(open[kind]({ dsn: withUser('weak:weak') })).rejects.toThrow(/permission denied|command denied/);
    });

    it('names a missing database', async () => {
      const dsn = database.dsn.replace(/\/tsukube$/, '/missing');
      await expect(open[kind]({ dsn })).rejects.toThrow(/database "missing" does not exist|Unknown database 'missing'/);
    });

    it('names a read-only database', async () => {
      await runSql(kind, database.dsn, makeReadOnly);
      try {
        await expect(open[kind]({ dsn: database.dsn })).rejects.toThrow('the database is read-only');
      } finally {
        await runSql(kind, database.dsn, makeWritable);
      }
    });

    it('takes the password from an option', async () => {
      const store = await open[kind]({ dsn: withUser('tsukube:wrong'), password: 'p@ss/word' });
      await store.create('/registry/a', Buffer.from('1'));
      await store.close();
    });

    it('upgrades tables of version 1, once, and keeps what they hold', async () => {
      const before = await open[kind]({ dsn: database.dsn });
      const { revision } = await before.create('/registry/upgraded', Buffer.from('1'));
      await before.close();
      const columns = ['tsukube_revision DROP COLUMN commit_id', 'tsukube_changes DROP COLUMN commit_id, DROP COLUMN parent_id'];
      for (const change of columns) await runSql(kind, database.dsn, `ALTER TABLE ${change}`);
      await runSql(kind, database.dsn, 'UPDATE tsukube_schema SET version = 1');

      const stores = await Promise.all([1, 2, 3].map(() => open[kind]({ dsn: database.dsn })));
      for (const store of stores) expect((await store.get('/registry/upgraded'))?.revision).toBe(revision);
      const [one, other] = stores as [Store, Store];
      const updated = await one.update('/registry/upgraded', Buffer.from('2'), revision);
      await other.create('/registry/after-upgrade', Buffer.from('1'));
      const seen: number[] = [];
      for await (const { changes } of stores[2]?.watch('/registry/', revision + 1, AbortSignal.timeout(10_000)) ?? []) {
        seen.push(...changes.map(({ entry }) => entry.revision));
        if (seen.length === 2) break;
      }
      expect(seen).toEqual([updated.revision, updated.revision + 1]);
      for (const store of stores) await store.close();
    });

    it('refuses a newer schema', async () => {
      await (await open[kind]({ dsn: database.dsn })).close();
      await runSql(kind, database.dsn, 'UPDATE tsukube_schema SET version = 7');
      await expect(open[kind]({ dsn: database.dsn })).rejects.toThrow(
        'the tables in the database have schema version 7, and this server knows versions up to 2: use a newer server',
      );
    });

    it('reports that no delegate answers', async () => {
      await database.kill();
      await expect(open[kind]({ dsn: database.dsn, timeoutMs: 300 })).rejects.toThrow(/cannot connect to .*ECONNREFUSED/);
    });
  });
}
