import type { Store } from '@tsukube/storage';
import type { StoreUnderTest } from '@tsukube/storage/contract';
import mysql from 'mysql2/promise';
import pg from 'pg';
import type { DatabaseKind, RunningDatabase } from './databases.ts';

type Row = Record<string, unknown>;

/** Runs one statement on a connection of its own. */
export async function runSql(kind: DatabaseKind, dsn: string, text: string): Promise<Row[]> {
  if (kind === 'mysql') {
    const connection = await mysql.createConnection({ uri: dsn, multipleStatements: true });
    const [rows] = await connection.query(text).finally(() => connection.end());
    return rows as Row[];
  }
  const client = new pg.Client({ connectionString: dsn });
  await client.connect();
  const { rows } = await client.query(text).finally(() => client.end());
  return rows;
}

/** A transaction on a connection of its own. */
export interface OpenTransaction {
  run(text: string): Promise<unknown>;
  /** Rolls back. */
  end(): Promise<void>;
}

export async function openTransaction(kind: DatabaseKind, dsn: string): Promise<OpenTransaction> {
  if (kind === 'mysql') {
    const connection = await mysql.createConnection(dsn);
    await connection.query('START TRANSACTION');
    return { run: (text) => connection.query(text), end: () => connection.end() };
  }
  const client = new pg.Client({ connectionString: dsn });
  await client.connect();
  await client.query('BEGIN');
  return { run: (text) => client.query(text), end: () => client.end() };
}

const tableNames = "SELECT table_name AS name FROM information_schema.tables WHERE table_name LIKE 'tsukube%'";

/** Removes all data but not the tables, which is much faster than a new database server for each test. */
export async function emptyDatabase(kind: DatabaseKind, { dsn }: RunningDatabase): Promise<void> {
  if ((await runSql(kind, dsn, tableNames)).length === 0) return;
  const truncate =
    kind === 'postgres'
      ? 'TRUNCATE tsukube_changes, tsukube_objects, tsukube_writers'
      : 'TRUNCATE tsukube_changes; TRUNCATE tsukube_objects; TRUNCATE tsukube_writers';
  const counters = 'UPDATE tsukube_compaction SET compacted = 0, swept = 0; UPDATE tsukube_revision SET newest = 1';
  await runSql(kind, dsn, `${truncate}; ${counters}`);
}

/** An empty store for the contract suite. */
export async function emptyStore(
  kind: DatabaseKind,
  database: RunningDatabase,
  open: () => Promise<Store>,
): Promise<StoreUnderTest> {
  await emptyDatabase(kind, database);
  return reopenable(open);
}

async function reopenable(open: () => Promise<Store>): Promise<StoreUnderTest> {
  const store = await open();
  const close = () => store.close();
  const reopen = async () => {
    await close();
    return reopenable(open);
  };
  return { store: withHandledRejections(store), reopen, close };
}

/** The suite starts some calls together and awaits them in turn; over a network a later one may reject before it is awaited. */
export function withHandledRejections(store: Store): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        const result: unknown = member.apply(target, args);
        if (result instanceof Promise) result.catch(() => {});
        return result;
      };
    },
  });
}
