import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DatabaseKind, databaseMissing, type RunningDatabase, startDatabase } from '../../../../tests/support/databases.ts';
import {
  type ExplainedStatement,
  explainedByMariadb,
  explainedByPostgres,
} from '../../../../tests/support/explained-statements.ts';
import { runSql } from '../../../../tests/support/sql-stores.ts';
import { openMysql } from '../mysql/index.ts';
import { openPostgres } from '../postgres/index.ts';
import type { Store } from '../store.ts';

/** `SCALE_OBJECTS=1000000` prints latencies too. */
const OBJECTS = Number(process.env.SCALE_OBJECTS ?? 5_000);
const isMeasured = process.env.SCALE_OBJECTS !== undefined;
const PREFIX = '/registry/configmaps/';
const VALUE = Buffer.from(JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', data: { text: 'x'.repeat(950) } }));

const open = { postgres: openPostgres, mysql: openMysql };

/** Both servers log the plan of each statement that they run. */
const explainAll: Readonly<Record<DatabaseKind, readonly string[]>> = {
  postgres: [
    'session_preload_libraries=auto_explain',
    'auto_explain.log_min_duration=0',
    'auto_explain.log_nested_statements=on',
  ].flatMap((setting) => ['-c', setting]),
  mysql: ['--slow-query-log', '--slow-query-log-file=slow.log', '--long-query-time=0', '--log-slow-verbosity=query_plan,explain'],
};

/** A thousand namespaces. The key of number i is the same in both dialects. */
const key = (number: string, concat: (...parts: string[]) => string) =>
  concat(`'${PREFIX}ns-'`, `${number} % 1000`, `'/object-'`, number);

const load: Readonly<Record<DatabaseKind, (count: number) => string>> = {
  postgres: (count) => {
    const k = key('i', (...parts) => parts.map((part) => `(${part})`).join(' || '));
    const rows = `FROM generate_series(2, ${count + 1}) i`;
    const value = `convert_to('${VALUE}', 'UTF8')`;
    return `INSERT INTO tsukube_changes (revision, object_key, deleted, previous, created, size, value, commit_id, parent_id)
        SELECT i, ${k}, false, 0, i, ${VALUE.length}, ${value}, 7, 7 ${rows};
      INSERT INTO tsukube_objects (object_key, revision, created, size, kind) SELECT ${k}, i, i, ${VALUE.length}, 'ConfigMap' ${rows};
      UPDATE tsukube_revision SET newest = ${count + 1}, commit_id = 7`;
  },
  mysql: (count) => {
    const k = key('i', (...parts) => `CONCAT(${parts.join(', ')})`);
    const rows = `FROM seq_2_to_${count + 1} CROSS JOIN (SELECT 1) one`;
    return `INSERT INTO tsukube_changes (revision, object_key, deleted, previous, created, size, value, written, commit_id, parent_id)
        SELECT i, ${k}, 0, 0, i, ${VALUE.length}, '${VALUE}', NOW(3), 7, 7 FROM (SELECT seq AS i ${rows}) s;
      INSERT INTO tsukube_objects (object_key, revision, created, size, kind)
        SELECT ${k}, i, i, ${VALUE.length}, 'ConfigMap' FROM (SELECT seq AS i ${rows}) s;
      UPDATE tsukube_revision SET newest = ${count + 1}, commit_id = 7`;
  },
};

const analyze: Readonly<Record<DatabaseKind, string>> = {
  postgres: 'ANALYZE',
  mysql: 'ANALYZE TABLE tsukube_changes, tsukube_objects',
};

for (const kind of ['postgres', 'mysql'] as const) {
  const isUnexplained = kind === 'mysql' && process.env.MYSQL_SERVER;
  describe.skipIf(databaseMissing[kind] || isUnexplained)(`${kind} with ${OBJECTS} objects`, () => {
    let database: RunningDatabase;
    let store: Store;
    beforeAll(async () => {
      database = await startDatabase(kind, { args: explainAll[kind] });
      await (await open[kind]({ dsn: database.dsn })).close();
      await runSql(kind, database.dsn, load[kind](OBJECTS));
      store = await open[kind]({ dsn: database.dsn, timeoutMs: 60_000 });
    }, 60_000 + OBJECTS);
    afterAll(async () => {
      await store?.close();
      await database?.stop();
    });

    it.each(['of empty tables', 'of these tables'])(
      'reads by index with statistics %s',
      { timeout: 60_000 + OBJECTS },
      async (statistics) => {
        if (statistics === 'of these tables') await runSql(kind, database.dsn, analyze[kind]);
        const tag = statistics.replaceAll(' ', '-');
        await operate(store, tag);
        const all = await explained(kind, database);
        const scans = all.filter(({ scanned }) => scanned.length > 0);
        expect(all.length).toBeGreaterThan(15);
        expect(scans).toEqual([]);
      },
    );
  });
}

/** All operations of a store, so that each statement is run. */
async function operate(store: Store, tag: string): Promise<void> {
  const at = await store.revision();
  const one = `${PREFIX}ns-7/${tag}`;
  const times = new Map<string, number>();
  const timed = async <T>(name: string, run: () => Promise<T>): Promise<T> => {
    const before = performance.now();
    const result = await run();
    times.set(name, performance.now() - before);
    return result;
  };
  await timed('500 creates', () => Promise.all(range(500).map((i) => store.create(`${one}-${i}`, VALUE))));
  const created = await timed('create', () => store.create(one, VALUE));
  const updated = await timed('update', () => store.update(one, VALUE, created.revision));
  await timed('get', () => store.get(one));
  await timed('delete', () => store.delete(one, updated.revision));
  await store.create(`${one}-expiring`, VALUE, { ttlSeconds: 1 });
  const first = await timed('list, first 500', () => store.list(PREFIX, { limit: 500 }));
  const from = `${first.entries.at(-1)?.key}\0`;
  await timed('list, next 500', () => store.list(PREFIX, { limit: 500, from, revision: first.revision }));
  await timed('list, 500 of the past', () => store.list(PREFIX, { limit: 500, from, revision: at }));
  await timed('list of a namespace', () => store.list(`${PREFIX}ns-8/`));
  for (const prefix of ['/registry/', `${PREFIX}ns-7/`]) await timed(`watch of ${prefix}`, () => firstBatch(store, prefix, at));
  await timed('compaction', () => store.compact(at + 400));
  await store.ping();
  if (isMeasured) console.log([...times].map(([name, ms]) => `${name}: ${ms.toFixed(1)} ms`).join('\n'));
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}

async function firstBatch(store: Store, prefix: string, after: number): Promise<void> {
  for await (const { changes } of store.watch(prefix, after + 1, AbortSignal.timeout(60_000))) if (changes.length > 0) return;
}

async function explained(kind: DatabaseKind, { folder }: RunningDatabase): Promise<ExplainedStatement[]> {
  if (kind === 'postgres') return explainedByPostgres(await readFile(join(folder, 'server.log'), 'utf8'));
  return explainedByMariadb(await readFile(join(folder, 'data', 'slow.log'), 'utf8'));
}
