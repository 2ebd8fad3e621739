import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openEnvironment, STATE, type Tables } from './environment.ts';
import { markDatabase } from './file/check.ts';
import { type DatabaseFile, openDatabaseFile } from './file/database-file.ts';
import { numberKeys } from './file/key-encodings.ts';
import { META_PAGES, PageFlag } from './file/layout.ts';
import { nodeData, nodeKey, PageParser } from './file/page.ts';
import {
  DAMAGED,
  encodeDue,
  encodeState,
  HEAD_BYTES,
  type Head,
  isHeadOf,
  type LogHead,
  RECORD_BYTES,
  readHead,
  readLogHead,
  readRecord,
  type State,
  writeHead,
  writeRecord,
} from './file/records.ts';
import type { OnEntry } from './file/walk.ts';

export interface SalvageReport {
  readonly saved: number;
  /** Keys whose newest values are corrupt or missing. */
  readonly lost: readonly string[];
  /** Keys that were saved without their index entry: their values may be outdated, or deleted since. */
  readonly uncertain: readonly string[];
  /** Number of further objects according to the header of the damaged database. */
  readonly unknown: number;
  /** First revision of the new database. */
  readonly revision: number;
}

/** Lost revisions may have been seen by clients; they are not reused. */
const REVISIONS_SKIPPED = 1_000_000;
const BYTES_AT_ONCE = 4 * 2 ** 20;

/** Values to save, by revision. */
type Wanted = Map<number, Pick<Head, 'created' | 'expires'> & { readonly key: string }>;

/**
 * Copies the intact values of a damaged database to a new one, without history. Values are verified by their checksums, so
 * pages that the trees have lost can be searched as well.
 */
export async function salvageDatabase(directory: string, output: string): Promise<SalvageReport> {
  if (existsSync(join(output, 'data.mdb'))) throw new Error(`there is a database in ${output}`);
  const found = survey(directory);
  const { wanted, uncertain } = choose(found);
  mkdirSync(output, { recursive: true, mode: 0o700 });
  const tables = openEnvironment({ path: output });
  const copier = new Copier(tables, wanted);
  const database = openDatabaseFile(directory);
  try {
    eachEntry(database, { onRecord: (revision, bytes) => copier.take(revision, bytes) });
    copier.flush();
    const revision = found.newest + REVISIONS_SKIPPED;
    await tables.meta.put(STATE, encodeState({ revision, compacted: revision, swept: revision }), 1);
    markDatabase(output);
    const isDeleted = (key: string) => found.changes.get(key)?.type === 'delete';
    const lost = [...found.heads.keys()].filter((key) => !copier.saved.has(key) && !isDeleted(key));
    const unknown = Math.max(0, found.recorded - copier.saved.size - lost.length);
    const isUncertain = (key: string) => copier.saved.has(key);
    return { saved: copier.saved.size, lost, uncertain: uncertain.filter(isUncertain), unknown, revision };
  } finally {
    database.close();
    await tables.root.close();
  }
}

interface Survey {
  readonly heads: ReadonlyMap<string, Head>;
  /** Whether the key index is complete. */
  readonly isIndexWhole: boolean;
  /** The newest intact change of every key. */
  readonly changes: ReadonlyMap<string, LogHead>;
  /** The highest revision found anywhere. */
  readonly newest: number;
  /** Number of objects in the header of the key index. */
  readonly recorded: number;
}

function survey(directory: string): Survey {
  const database = openDatabaseFile(directory);
  try {
    const heads = new Map<string, Head>();
    const changes = new Map<string, LogHead>();
    let newest = 1;
    const isIndexWhole = eachEntry(database, {
      onState: ({ revision }) => (newest = Math.max(newest, revision)),
      onHead(key, head) {
        if ((heads.get(key)?.revision ?? 0) < head.revision) heads.set(key, head);
        newest = Math.max(newest, head.revision);
      },
      onRecord(revision, bytes) {
        const change = readLogHead(bytes, bytes.length);
        if (change === DAMAGED || change.revision !== revision) return;
        newest = Math.max(newest, revision);
        if ((changes.get(change.key)?.revision ?? 0) < revision) changes.set(change.key, change);
      },
    });
    return { heads, isIndexWhole, changes, newest, recorded: database.entriesOf('current') ?? 0 };
  } finally {
    database.close();
  }
}

/**
 * Where the index is damaged, the newest change found for a key replaces its index entry. A change newer than the index belongs
 * to a transaction whose meta page is corrupt.
 */
function choose({ heads, isIndexWhole, changes }: Survey): { wanted: Wanted; uncertain: string[] } {
  const wanted: Wanted = new Map();
  const uncertain: string[] = [];
  const wantChange = ({ type, key, revision, created }: LogHead): void => {
    if (type === 'delete') return;
    wanted.set(revision, { key, created, expires: 0 });
    uncertain.push(key);
  };
  for (const [key, head] of heads) {
    const change = changes.get(key);
    if (change && change.revision > head.revision) wantChange(change);
    else wanted.set(head.revision, { ...head, key });
  }
  for (const change of changes.values()) if (!isIndexWhole && !heads.has(change.key)) wantChange(change);
  return { wanted, uncertain };
}

interface Entries {
  onState?(state: State): void;
  onHead?(key: string, head: Head): void;
  onRecord(revision: number, bytes: Buffer): void;
}

/** Visits all entries that can be found. Returns whether the key index is complete. */
function eachEntry(database: DatabaseFile, { onState, onHead, onRecord }: Entries): boolean {
  const found = database.state();
  if (found) onState?.(found.state);
  const before = database.problems.length;
  let isIndexWhole = database.hasTables;
  const takeHead: OnEntry = (key, data) => {
    const bytes = database.data(data);
    const head = readHead(bytes, bytes.length);
    if (head === DAMAGED || !isHeadOf(key, head)) isIndexWhole = false;
    else onHead?.(key.toString(), head);
  };
  const takeRecord: OnEntry = (key, data) => {
    if (key.length === 8) onRecord(numberKeys.readKey(key, 0, 8), database.data(data));
  };
  database.table('current', takeHead);
  isIndexWhole &&= database.problems.length === before;
  database.table('expiry');
  database.table('log', takeRecord);
  const free = database.freeList();
  // Pages of a newer transaction are free in an older one.
  const isFree = database.isNewestKnown ? free : undefined;
  const isWhole = isIndexWhole;
  eachLostEntry(database, isFree ?? (() => false), (key, data, page) => {
    takeRecord(key, data, page);
    // If free pages are unknown, index entries found there may be of any age.
    if (isFree) takeHead(key, data, page);
  });
  return isWhole;
}

/** Visits the entries of leaf pages, of any table, that are in use but in no tree. */
function eachLostEntry(database: DatabaseFile, isFree: (page: number) => boolean, onEntry: OnEntry): void {
  const { file, walk } = database;
  const parser = new PageParser(file.pageSize);
  for (let number = META_PAGES; number * file.pageSize < file.size; number++) {
    if (walk?.isUsed(number) || isFree(number)) continue;
    const bytes = file.page(number);
    if (bytes === undefined || bytes.readUInt16LE(18) !== PageFlag.leaf) continue;
    const page = parser.parse(bytes, number, Number.POSITIVE_INFINITY);
    if (typeof page === 'string') continue;
    for (const at of page.nodes) {
      const data = nodeData(page, at);
      if (typeof data !== 'string' && data.kind !== 'tree') onEntry(nodeKey(page, at), data, number);
    }
  }
}

/** Copies the intact values to the new database in batches. */
class Copier {
  readonly saved = new Set<string>();
  readonly #tables: Tables;
  readonly #wanted: Wanted;
  #batch: {
    readonly revision: number;
    readonly record: Buffer;
    readonly key: string;
    readonly head: Buffer;
    readonly expires: number;
  }[] = [];
  #bytes = 0;

  constructor(tables: Tables, wanted: Wanted) {
    this.#tables = tables;
    this.#wanted = wanted;
  }

  take(revision: number, bytes: Buffer): void {
    const wanted = this.#wanted.get(revision);
    const entry = wanted && readRecord(bytes, bytes.length);
    if (!entry || entry === DAMAGED || entry.revision !== revision || entry.key !== wanted.key || this.saved.has(entry.key))
      return;
    this.saved.add(entry.key);
    const key = Buffer.from(entry.key);
    const record = Buffer.alloc(RECORD_BYTES + key.length + entry.value.length);
    writeRecord(record, 0, 'put', entry, 0);
    const head = Buffer.alloc(HEAD_BYTES);
    const end = writeHead(head, 0, entry, wanted.expires, key);
    this.#batch.push({ revision, record, key: entry.key, head: head.subarray(0, end), expires: wanted.expires });
    this.#bytes += record.length;
    if (this.#bytes > BYTES_AT_ONCE) this.flush();
  }

  flush(): void {
    const { root, log, current, expiry } = this.#tables;
    const batch = this.#batch.splice(0);
    this.#bytes = 0;
    root.transactionSync(() => {
      for (const { revision, record, key, head, expires } of batch) {
        log.putSync(revision, record);
        current.putSync(key, head);
        if (expires) expiry.putSync([expires, revision], encodeDue(key, expires, revision));
      }
    });
  }
}
