import { type Database, type DatabaseOptions, open, type RootDatabase } from 'lmdb';
import type { Entry } from '../store.ts';
import { type KeyEncoding, numberKeys, pairKeys, textKeys } from './file/key-encodings.ts';
import {
  type Damaged,
  decodeState,
  encodeState,
  type Head,
  type LogHead,
  readHead,
  readLogHead,
  readRecord,
  type State,
} from './file/records.ts';
import { FileGuard } from './file-guard.ts';

/** The tables of a database that can be closed and opened between two turns of the loop. */
export interface LmdbEnvironment extends Tables {
  /**
   * Opens the database anew, so that nothing of it is mapped. Nobody may hold a transaction, nor a table beyond the
   * turn of the loop. If it fails, the tables are closed.
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

/** Part of LMDB's close that its types do not know: it waits for the writes. */
interface WaitingForWrites {
  _endWrites?: (() => Promise<void> | undefined) | undefined;
}

/**
 * LMDB waits for writes even where all have ended, and would be closed some steps later: reads in between would fail.
 * Without that part it closes within the call.
 */
function closeAtOnce(root: Tables['root']): void {
  (root as Tables['root'] & WaitingForWrites)._endWrites = undefined;
  void root.close();
  const { status } = root as unknown as { readonly status: string };
  if (status !== 'closed') throw new Error(`the database is ${status}`);
}

/** The databases of one LMDB environment. */
export interface Tables {
  readonly root: RootDatabase<Buffer, string>;
  /** The directory of the database. */
  readonly path: string;
  /** The newest head of every key that exists. */
  readonly current: Database<Head | Damaged | Uint8Array, string | Uint8Array>;
  /** Every change, by revision, until compaction has made it useless. */
  readonly log: Database<Entry | Damaged | Uint8Array, number>;
  /** The log again, read without values. */
  readonly logHeads: Database<LogHead | Damaged, number>;
  /** The key that expires, by time and revision. */
  readonly expiry: Database<Uint8Array, number[]>;
  /** The state, whose version counts transactions. */
  readonly meta: Database<Uint8Array, string>;
}

export interface LmdbEnvironmentOptions {
  readonly path: string;
  readonly mapSize?: number;
  readonly noSync?: boolean;
}

/** The key of the state. */
export const STATE = 'state';
const GIB = 2 ** 30;

export function openTables({ path, mapSize, noSync }: LmdbEnvironmentOptions): Tables {
  const root = open<Buffer, string>({ ...ENVIRONMENT, path, mapSize: mapSize ?? 16 * GIB, noSync: noSync ?? false });
  return {
    root,
    path,
    current: root.openDB('current', decoded(textKeys, readHead)),
    log: root.openDB('log', decoded(numberKeys, readRecord)),
    logHeads: root.openDB('log', decoded(numberKeys, readLogHead)),
    expiry: root.openDB('expiry', binary(pairKeys)),
    meta: root.openDB('meta', { ...binary(textKeys), useVersions: true }),
  };
}

const ENVIRONMENT = {
  noSubdir: false,
  maxDbs: 8,
  maxReaders: 1024,
  // Three values of a kilobyte fill a page of 4 KiB badly: larger pages write less.
  pageSize: 8192,
  // A transaction is then acknowledged only after its data and its meta page are on the disk.
  overlappingSync: false,
  // Writes are gathered by the writer already: a transaction starts as soon as it is given, see startNow.
  eventTurnBatching: false,
  txnStartThreshold: 1,
  encoding: 'binary',
  // LMDB would let everybody read its files, and secrets are among what they hold.
  permissionsMode: 0o600,
} as const;

/** LMDB takes more options than its types know. */
type TableOptions<K> = DatabaseOptions & { readonly keyEncoder: KeyEncoding<K>; readonly encoder?: unknown };

/** A table whose values are read as they are stored. */
export function binaryTable<K extends string | number>({ root }: Tables, name: 'log' | 'current'): Database<Uint8Array, K> {
  const keys = name === 'log' ? numberKeys : textKeys;
  return root.openDB(name, binary(keys as unknown as KeyEncoding<K>));
}

function binary<K>(keyEncoder: KeyEncoding<K>): TableOptions<K> {
  return { encoding: 'binary', keyEncoder };
}

/** A decoder is given LMDB's own memory, which is good only during the call. What is written is encoded already. */
function decoded<K, V>(keyEncoder: KeyEncoding<K>, decode: (bytes: Uint8Array, length: number) => V): TableOptions<K> {
  const encoder = { encode: (value: Uint8Array) => value, decode: (bytes: Uint8Array) => decode(bytes, bytes.length) };
  return { keyEncoder, encoder };
}

export function readState({ meta }: Tables, options?: ReadOptions): State {
  return decodeState(Buffer.from(meta.get(STATE, options) as Uint8Array));
}

export type ReadOptions = Parameters<Tables['meta']['get']>[1];

/** Another process has written to the database. */
export class Fenced extends Error {
  override readonly name = 'Fenced';
}

/**
 * Writes all or nothing, on the condition that the last transaction is `transaction`. Settles when that is on the disk.
 * The callback must not throw: LMDB would commit the half of it.
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
 * LMDB would start a lone block of writes only in the next turn of the loop; a second one, even empty, starts both.
 * If the transaction fails, both say so.
 */
function startNow(root: Tables['root']): void {
  root.batch(() => {}).catch(() => {});
}
