import { compareKeys } from '../keys.ts';
import { Compacted } from '../store.ts';
import type { Pointer } from './corrupt-values.ts';
import type { Environment } from './environment.ts';
import type { Selection } from './list.ts';
import { readHeads } from './log.ts';
import type { KeyRange } from './range.ts';
import { DAMAGED } from './records.ts';
import type { Snapshot } from './snapshot.ts';

const HEADS_AT_ONCE = 500;

/** What undoes the changes of a key. */
interface Undo {
  /** The revision of its value then; 0 if it did not exist. */
  readonly revision: number;
  existsNow: boolean;
}

/** What a range held at an old revision: what it holds now, with every change since undone. */
export async function past(tables: Environment, snapshot: Snapshot, range: KeyRange, revision: number): Promise<Selection> {
  const undone = await undoSince(tables, snapshot, range, revision);
  return {
    pointers: (limit) => first(limit, merged(tables, snapshot, range, undone)),
    count: async () => (await range.count(tables, snapshot)) + difference(undone),
  };
}

async function undoSince(tables: Environment, snapshot: Snapshot, range: KeyRange, revision: number): Promise<Map<string, Undo>> {
  const undone = new Map<string, Undo>();
  for (let from = revision + 1; from <= snapshot.revision; from += HEADS_AT_ONCE) {
    const to = Math.min(snapshot.revision, from + HEADS_AT_ONCE - 1);
    const heads = readHeads(tables, from, to, snapshot.options);
    // Where a change is missing or damaged, what it undoes is unknown.
    if (heads.length < to - from + 1) throw new Compacted(snapshot.revision);
    for (const head of heads) {
      if (head === DAMAGED) throw new Compacted(snapshot.revision);
      const { key, type, previous } = head;
      const known = undone.get(key);
      if (known) known.existsNow = type === 'put';
      else if (range.has(key)) undone.set(key, { revision: previous, existsNow: type === 'put' });
    }
    if (snapshot.tired) await snapshot.rest();
  }
  return undone;
}

/** Where all values are that the range held then, in the order of keys. */
function* merged(tables: Environment, snapshot: Snapshot, range: KeyRange, undone: ReadonlyMap<string, Undo>): Iterable<Pointer> {
  const restored = [...undone].filter(([, { revision }]) => revision > 0).sort(([a], [b]) => compareKeys(b, a));
  for (const pointer of range.pointers(tables, snapshot)) {
    yield* takeUpTo(pointer.key, restored);
    if (!undone.has(pointer.key)) yield pointer;
  }
  yield* takeUpTo(undefined, restored);
}

/** Takes from the end, where the lowest keys are. */
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
