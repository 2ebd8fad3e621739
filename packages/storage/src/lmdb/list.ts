import { compareKeys, firstKey } from '../keys.ts';
import { Compacted, type Entry, FutureRevision, type Page, type StoreListOptions } from '../store.ts';
import { TimeSlice } from '../time-slice.ts';
import { type LmdbEnvironment, readState, type Tables } from './environment.ts';
import { prefixBounds } from './file/key-encodings.ts';
import { DAMAGED, type Damaged, type Head, soundHead } from './file/records.ts';
import { readHeads } from './log.ts';
import type { Pointer, ValueReader } from './values.ts';

/** Locations of the values of a list, in key order. */
interface ListSelection {
  pointers(limit: number): Iterable<Pointer>;
  count(): Promise<number>;
}

/** Lists a prefix in a snapshot, at its revision or an older one. Throws FutureRevision or Compacted. */
export async function listPrefix(
  tables: LmdbEnvironment,
  values: ValueReader,
  snapshot: Snapshot,
  compacted: number,
  prefix: string,
  { from, limit = 0, revision: requested, lazyValues = false }: StoreListOptions,
): Promise<Page> {
  const revision = requested || snapshot.revision;
  if (revision > snapshot.revision) throw new FutureRevision(snapshot.revision);
  if (revision < compacted) throw new Compacted(compacted);
  const range = new PrefixRange(prefix, from);
  const isCurrent = revision === snapshot.revision;
  const selection = isCurrent ? current(tables, snapshot, range) : await past(tables, snapshot, range, revision);
  const { options } = snapshot;
  const readNow = (pointer: Pointer) => (isCurrent ? values.read(pointer, options) : values.readPast(pointer, options));
  const read = lazyValues ? (pointer: Pointer) => values.readLazily(pointer, options) ?? readNow(pointer) : readNow;
  return page(read, snapshot, selection, revision, limit);
}

async function page(
  read: (pointer: Pointer) => Entry,
  snapshot: Snapshot,
  selection: ListSelection,
  revision: number,
  limit: number,
): Promise<Page> {
  const entries: Entry[] = [];
  for (const pointer of selection.pointers(limit)) {
    entries.push(read(pointer));
    if (snapshot.isSliceOver) await snapshot.rest();
  }
  const count = limit > 0 && entries.length === limit ? await selection.count() : entries.length;
  return { entries, revision, count, more: count > entries.length };
}

function current(tables: LmdbEnvironment, snapshot: Snapshot, range: PrefixRange): ListSelection {
  return {
    pointers: (limit) => range.pointers(tables, snapshot, limit),
    count: () => range.count(tables, snapshot),
  };
}

const COUNT_AT_ONCE = 100_000;

/** The keys with a prefix, starting at a key. */
class PrefixRange {
  readonly #prefix: string;
  readonly #first: string;

  constructor(prefix: string, from?: string) {
    this.#prefix = prefix;
    this.#first = firstKey(prefix, from);
  }

  get bounds(): ReturnType<typeof prefixBounds> {
    return prefixBounds(this.#prefix, this.#first);
  }

  has(key: string): boolean {
    return key.startsWith(this.#prefix) && compareKeys(key, this.#first) >= 0;
  }

  /** Locations of the current values. Throws CorruptValue if the index is corrupt. */
  *pointers({ current }: Tables, snapshot: Snapshot, limit?: number): Iterable<Pointer> {
    for (const { key, value } of current.getRange({ ...snapshot.options, ...this.bounds, limit: limit || undefined })) {
      const { revision, created } = soundHead(key as string, value as Head | Damaged);
      yield { key: key as string, revision, created };
    }
  }

  /** Number of keys now. LMDB counts natively, so this takes few but long steps. */
  async count({ current }: Tables, snapshot: Snapshot): Promise<number> {
    let { start, end } = this.bounds;
    for (let counted = 0; ; counted += COUNT_AT_ONCE) {
      const range = { ...snapshot.options, start, end };
      const [next] = current.getKeys({ ...range, offset: COUNT_AT_ONCE, limit: 1 });
      if (next === undefined) return counted + current.getKeysCount(range);
      start = next;
      await snapshot.rest();
    }
  }
}

const HEADS_AT_ONCE = 500;

/** Undoes the changes of a key since an old revision. */
interface Undo {
  /** Revision of its value at the old revision; 0 if it did not exist. */
  readonly revision: number;
  existsNow: boolean;
}

/** The keys of a range at an old revision: the current keys with all changes since undone. */
async function past(tables: LmdbEnvironment, snapshot: Snapshot, range: PrefixRange, revision: number): Promise<ListSelection> {
  const undone = await undoSince(tables, snapshot, range, revision);
  return {
    pointers: (limit) => first(limit, merged(tables, snapshot, range, undone)),
    count: async () => (await range.count(tables, snapshot)) + difference(undone),
  };
}

async function undoSince(
  tables: LmdbEnvironment,
  snapshot: Snapshot,
  range: PrefixRange,
  revision: number,
): Promise<Map<string, Undo>> {
  const undone = new Map<string, Undo>();
  for (let from = revision + 1; from <= snapshot.revision; from += HEADS_AT_ONCE) {
    const to = Math.min(snapshot.revision, from + HEADS_AT_ONCE - 1);
    const heads = readHeads(tables, from, to, snapshot.options);
    // A missing or corrupt change cannot be undone.
    if (heads.length < to - from + 1) throw new Compacted(snapshot.revision);
    for (const head of heads) {
      if (head === DAMAGED) throw new Compacted(snapshot.revision);
      const { key, type, previous } = head;
      const known = undone.get(key);
      if (known) known.existsNow = type === 'put';
      else if (range.has(key)) undone.set(key, { revision: previous, existsNow: type === 'put' });
    }
    if (snapshot.isSliceOver) await snapshot.rest();
  }
  return undone;
}

/** Locations of the values at the old revision, in key order. */
function* merged(
  tables: LmdbEnvironment,
  snapshot: Snapshot,
  range: PrefixRange,
  undone: ReadonlyMap<string, Undo>,
): Iterable<Pointer> {
  const restored = [...undone].filter(([, { revision }]) => revision > 0).sort(([a], [b]) => compareKeys(b, a));
  for (const pointer of range.pointers(tables, snapshot)) {
    yield* takeUpTo(pointer.key, restored);
    if (!undone.has(pointer.key)) yield pointer;
  }
  yield* takeUpTo(undefined, restored);
}

/** `restored` is in descending order: takes from its end. */
function* takeUpTo(key: string | undefined, restored: [string, Undo][]): Iterable<Pointer> {
  for (let lowest = restored.at(-1); lowest; lowest = restored.at(-1)) {
    if (key !== undefined && compareKeys(lowest[0], key) > 0) return;
    restored.pop();
    yield { key: lowest[0], revision: lowest[1].revision, created: 0 };
  }
}

function* first<T>(limit: number, all: Iterable<T>): Iterable<T> {
  let taken = 0;
  for (const each of all) {
    yield each;
    if (++taken === limit) return;
  }
}

function difference(undone: ReadonlyMap<string, Undo>): number {
  let sum = 0;
  for (const { revision, existsNow } of undone.values()) sum += Number(revision > 0) - Number(existsNow);
  return sum;
}

/** A read transaction for reads that span several turns of the event loop. */
export class Snapshot {
  readonly options: { readonly transaction: ReturnType<Tables['root']['useReadTransaction']> };
  readonly revision: number;
  readonly #slice = new TimeSlice();
  readonly #checkOpen: () => void;

  /** `checkOpen` throws if the store was closed. */
  constructor(tables: Tables, checkOpen: () => void) {
    this.options = { transaction: tables.root.useReadTransaction() };
    this.revision = readState(tables, this.options).revision;
    this.#checkOpen = checkOpen;
  }

  get isSliceOver(): boolean {
    return this.#slice.over;
  }

  /** Await it whenever `isSliceOver`. Rejects if the store was closed meanwhile. */
  async rest(): Promise<void> {
    await this.#slice.rest();
    this.#checkOpen();
  }

  /** While a snapshot is open, LMDB cannot reuse the pages it sees. */
  release(): void {
    this.options.transaction.done();
  }
}
