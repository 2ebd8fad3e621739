import { compareKeys } from '../keys.ts';
import type { Selection } from './list.ts';
import { readHeads } from './log.ts';
import type { KeyRange } from './range.ts';
import type { Head } from './records.ts';
import type { Snapshot } from './snapshot.ts';
import type { Tables } from './tables.ts';

const HEADS_AT_ONCE = 500;

/** What undoes the changes of a key. */
interface Undo {
  /** The revision of its value then; 0 if it did not exist. */
  readonly revision: number;
  existsNow: boolean;
}

/** What a range held at an old revision: what it holds now, with every change since undone. */
export async function past(tables: Tables, snapshot: Snapshot, range: KeyRange, revision: number): Promise<Selection> {
  const undone = await undoSince(tables, snapshot, range, revision);
  return {
    revisions: (limit) => first(limit, merged(tables, snapshot, range, undone)),
    count: async () => (await range.count(tables, snapshot)) + difference(undone),
  };
}

async function undoSince(tables: Tables, snapshot: Snapshot, range: KeyRange, revision: number): Promise<Map<string, Undo>> {
  const undone = new Map<string, Undo>();
  for (let from = revision + 1; from <= snapshot.revision; from += HEADS_AT_ONCE) {
    const to = Math.min(snapshot.revision, from + HEADS_AT_ONCE - 1);
    for (const { key, type, previous } of readHeads(tables, from, to, snapshot.options)) {
      const known = undone.get(key);
      if (known) known.existsNow = type === 'put';
      else if (range.has(key)) undone.set(key, { revision: previous, existsNow: type === 'put' });
    }
    if (snapshot.tired) await snapshot.rest();
  }
  return undone;
}

/** The revisions of all values that the range held then, in the order of keys. */
function* merged(tables: Tables, snapshot: Snapshot, range: KeyRange, undone: ReadonlyMap<string, Undo>): Iterable<number> {
  const restored = [...undone].filter(([, { revision }]) => revision > 0).sort(([a], [b]) => compareKeys(b, a));
  for (const { key, value } of tables.current.getRange({ ...snapshot.options, ...range.bounds })) {
    yield* takeUpTo(key as string, restored);
    if (!undone.has(key as string)) yield (value as Head).revision;
  }
  yield* takeUpTo(undefined, restored);
}

/** Takes from the end, where the lowest keys are. */
function* takeUpTo(key: string | undefined, restored: [string, Undo][]): Iterable<number> {
  for (let lowest = restored.at(-1); lowest; lowest = restored.at(-1)) {
    if (key !== undefined && compareKeys(lowest[0], key) > 0) return;
    restored.pop();
    yield lowest[1].revision;
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
