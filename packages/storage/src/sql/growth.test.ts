import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DatabaseKind, databaseMissing, type RunningDatabase, startDatabase } from '../../../../tests/support/databases.ts';
import { runSql } from '../../../../tests/support/sql-stores.ts';
import { openMysql } from '../mysql/index.ts';
import { openPostgres } from '../postgres/index.ts';
import type { Entry, Store } from '../store.ts';

const OBJECTS = 100;
const UPDATES = Number(process.env.GROWTH_UPDATES ?? 4_000);
/** Compaction keeps as many revisions, as at every interval of the server. */
const KEPT = 400;

const sizes: Readonly<Record<DatabaseKind, string>> = {
  postgres: `SELECT pg_total_relation_size('tsukube_changes') + pg_total_relation_size('tsukube_objects')
    + pg_total_relation_size('tsukube_revision') + pg_total_relation_size('tsukube_writers') AS bytes`,
  mysql: `SELECT SUM(data_length + index_length) AS bytes FROM information_schema.tables WHERE table_name LIKE 'tsukube%'`,
};

/** Does at once the background work of autovacuum and of InnoDB's statistics thread. */
const tidy: Readonly<Record<DatabaseKind, readonly string[]>> = {
  postgres: ['VACUUM tsukube_changes', 'VACUUM tsukube_objects', 'VACUUM tsukube_revision', 'VACUUM tsukube_writers'],
  mysql: ['ANALYZE TABLE tsukube_changes, tsukube_objects'],
};

for (const [kind, open] of [['postgres', openPostgres] as const, ['mysql', openMysql] as const]) {
  describe.skipIf(databaseMissing[kind])(`${kind} under many updates`, () => {
    let database: RunningDatabase;
    let store: Store;
    beforeAll(async () => {
      database = await startDatabase(kind);
      store = await open({ dsn: database.dsn });
    });
    afterAll(async () => {
      await store?.close();
      await database?.stop();
    });

    it(`does not grow after the first half of ${UPDATES} updates`, { timeout: 60_000 + UPDATES * 10 }, async () => {
      const value = Buffer.alloc(1_000, 'x');
      let entries = await Promise.all(Array.from({ length: OBJECTS }, (_, i) => store.create(`/registry/g/${i}`, value)));
      let half = 0;
      for (let updates = 0; updates < UPDATES; ) {
        entries = await updateAll(store, entries, value);
        updates += OBJECTS;
        if (updates % KEPT === 0) await store.compact((await store.revision()) - KEPT);
        if (updates === UPDATES / 2) half = await bytesOf(kind, database);
      }
      const [row] = await runSql(kind, database.dsn, 'SELECT COUNT(*) AS changes FROM tsukube_changes');
      expect(Number(row?.changes)).toBeLessThanOrEqual(OBJECTS + KEPT);
      // InnoDB purges deleted rows in the background.
      await expect.poll(() => bytesOf(kind, database), { timeout: 30_000, interval: 200 }).toBeLessThan(half * 1.5);
      if (!process.env.GROWTH_UPDATES) return;
      console.log(`${kind}: ${half} bytes after half of ${UPDATES} updates, ${await bytesOf(kind, database)} after all`);
    });
  });
}

function updateAll(store: Store, entries: readonly Entry[], value: Uint8Array): Promise<Entry[]> {
  return Promise.all(entries.map(({ key, revision }) => store.update(key, value, revision)));
}

async function bytesOf(kind: DatabaseKind, { dsn }: RunningDatabase): Promise<number> {
  for (const text of tidy[kind]) await runSql(kind, dsn, text);
  const [row] = await runSql(kind, dsn, sizes[kind]);
  return Number(row?.bytes);
}
