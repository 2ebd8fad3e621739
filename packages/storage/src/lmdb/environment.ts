import { type Database, type DatabaseOptions, open, type RootDatabase } from 'lmdb';
import type { Entry } from '../store.ts';
import { type KeyEncoding, numberKeys, pairKeys, textKeys } from './file/key-encodings.ts';
import {
  type Damaged,
  decodeState,
  encodeState,
  type Head,
  type LogHead,
  type LogRecord,
  readHead,
  readLogHead,
  readLogRecord,
  readRecord,
  readView,
  type State,
} from './file/records.ts';
import { FileGuard } from './file-guard.ts';

/** An LMDB environment that can be closed and reopened between two turns of the event loop. */
export interface LmdbEnvironment extends Tables {
  /**
   * Reopens the database, which unmaps its file. No transaction may be open, and no table may be held across turns of the event
   * loop. If it throws, the tables are closed.
   */
  reopen(): void;
  readonly guard: FileGuard;
}

export function openEnvironment(options: LmdbEnvironmentOptions): LmdbEnvironment {
  const tables = openTables(options);
  const reopen = () => {
    closeAtOnce(tables.root);
    Object.assign(tables, openTables(options));
  };
  return Object.assign(tables, { reopen, guard: new FileGuard(options.path) });
}

/** A private part of `close` in lmdb-js: waits for pending writes. */
interface WaitingForWrites {
  _endWrites?: (() => Promise<void> | undefined) | undefined;
}

/**
 * lmdb-js waits for writes even if there are none and closes some microtasks later; reads in between would fail. Without that
 * step it closes synchronously.
 */
function closeAtOnce(root: Tables['root']): void {
  (root as Tables['root'] & WaitingForWrites)._endWrites = undefined;
  void root.close();
  const { status } = root as unknown as { readonly status: string };
  if (status !== 'closed') throw new Error(`the database is ${status}`);
}

/** The tables (named databases) of one LMDB environment. */
export interface Tables {
  readonly root: RootDatabase<Buffer, string>;
  /** The directory of the database. */
  readonly path: string;
  /** Key → location of its newest value. */
  readonly current: Database<Head | Damaged | Uint8Array, string | Uint8Array>;
  /** Revision → change with its value, until it is swept. */
  readonly log: Database<Entry | Damaged | Uint8Array, number>;
  /** The same log, decoded without values. */
  readonly logHeads: Database<LogHead | Damaged, number>;
  /** The same log, with values in LMDB's own memory: valid until anything else is read. */
  readonly logViews: Database<Entry | Damaged, number>;
  /** The same log, decoded with values; in processes that follow the writes of another one. */
  readonly logRecords?: Database<LogRecord | Damaged, number>;
  /** (Expiry time, revision) → key. */
  readonly expiry: Database<Uint8Array, number[]>;
  /** The state; its LMDB version is the number of the transaction. */
  readonly meta: Database<Uint8Array, string>;
}

export interface LmdbEnvironmentOptions {
  readonly path: string;
  readonly mapSize?: number;
  readonly noSync?: boolean;
  /** Another process writes. The database must exist. */
  readonly readOnly?: boolean;
}

/** The key of the state. */
export const STATE = 'state';
const GIB = 2 ** 30;

function openTables({ path, mapSize, noSync = false, readOnly = false }: LmdbEnvironmentOptions): Tables {
  const root = open<Buffer, string>({ ...ENVIRONMENT, path, mapSize: mapSize ?? 16 * GIB, noSync, readOnly });
  return {
    root,
    path,
    current: root.openDB('current', decoded(textKeys, readHead)),
    log: root.openDB('log', decoded(numberKeys, readRecord)),
    logHeads: root.openDB('log', decoded(numberKeys, readLogHead)),
    logViews: root.openDB('log', decoded(numberKeys, readView)),
    ...(readOnly && { logRecords: root.openDB('log', decoded(numberKeys, readLogRecord)) }),
    expiry: root.openDB('expiry', binary(pairKeys)),
    meta: root.openDB('meta', { ...binary(textKeys), useVersions: true }),
  };
}

const ENVIRONMENT = {
  noSubdir: false,
  maxDbs: 8,
  maxReaders: 1024,
  // Values of about 1 KiB fill pages of 4 KiB badly; larger pages write less.
  pageSize: 8192,
  // Acknowledge a transaction only after its data and its meta page are synced.
  overlappingSync: false,
  // LmdbWriter batches writes itself: a transaction starts as soon as it is submitted, see startNow.
  eventTurnBatching: false,
  txnStartThreshold: 1,
  encoding: 'binary',
  // By default LMDB's files are world-readable, and they contain secrets.
  permissionsMode: 0o600,
} as const;

/** Options that lmdb-js accepts but its types do not declare. */
type TableOptions<K> = DatabaseOptions & { readonly keyEncoder: KeyEncoding<K>; readonly encoder?: unknown };

/** Opens a table without a decoder. */
export function binaryTable<K extends string | number>({ root }: Tables, name: 'log' | 'current'): Database<Uint8Array, K> {
  const keys = name === 'log' ? numberKeys : textKeys;
  return root.openDB(name, binary(keys as unknown as KeyEncoding<K>));
}

function binary<K>(keyEncoder: KeyEncoding<K>): TableOptions<K> {
  return { encoding: 'binary', keyEncoder };
}

/** Decoders read LMDB's own memory, which is valid only during the call. Values are encoded before they are written. */
function decoded<K, V>(keyEncoder: KeyEncoding<K>, decode: (bytes: Uint8Array, length: number) => V): TableOptions<K> {
  const encoder = { encode: (value: Uint8Array) => value, decode: (bytes: Uint8Array) => decode(bytes, bytes.length) };
  return { keyEncoder, encoder };
}

export function readState({ meta }: Tables, options?: ReadOptions): State {
  return decodeState(Buffer.from(meta.get(STATE, options) as Uint8Array));
}

/** The committed state, also if another process or a thread has committed since the last read of this turn of the event loop. */
export function readCommitted(tables: Tables): State {
  tables.root.resetReadTxn();
  return readState(tables);
}

export type ReadOptions = Parameters<Tables['meta']['get']>[1];

/** Another process has written to the database. */
export class Fenced extends Error {
  override readonly name = 'Fenced';
}

/**
 * Atomically writes if the last transaction has number `transaction`. Resolves when it is synced. The callback must not throw:
 * LMDB would commit the part before.
 */
export async function transact({ root, meta }: Tables, transaction: number, state: State, write: () => void): Promise<void> {
  const encoded = encodeState(state);
  const committed = meta.ifVersion(STATE, transaction, () => {
    write();
    meta.put(STATE, encoded, transaction + 1);
  });
  startNow(root);
  if (!(await committed)) throw new Fenced('another process writes to this database');
}

/**
 * lmdb-js starts a single batch only in the next turn of the event loop; a second batch, even an empty one, starts both at
 * once. If the transaction fails, both reject.
 */
function startNow(root: Tables['root']): void {
  root.batch(() => {}).catch(() => {});
}
