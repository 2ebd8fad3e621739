import { expect } from 'vitest';
import type { Batch, Change, Store } from '../store.ts';
import { text } from './bytes.ts';

/** A change as tests compare it. */
export interface Seen {
  readonly type: 'put' | 'delete';
  readonly key: string;
  readonly value: string | undefined;
  readonly revision: number;
  /** The revision and the value before. */
  readonly previous: readonly [number, string | undefined] | undefined;
}

export function seen({ type, entry, previous }: Change): Seen {
  const { key, value, revision } = entry;
  if (previous) expect(previous.key).toBe(key);
  return { type, key, value: text(value), revision, previous: previous && [previous.revision, text(previous.value)] };
}

/** What a watch delivers until it has covered a revision. Checks on the way that batches are in order. */
export async function observe(store: Store, prefix: string, from: number, until: number): Promise<Seen[]> {
  const stop = new AbortController();
  const all: Seen[] = [];
  let covered = 0;
  for await (const batch of store.watch(prefix, from, stop.signal)) {
    checkBatch(batch, covered);
    covered = batch.revision;
    all.push(...batch.changes.map(seen));
    if (covered >= until) break;
  }
  stop.abort();
  return all;
}

function checkBatch({ changes, revision }: Batch, covered: number): void {
  let last = covered;
  for (const { entry } of changes) {
    expect(entry.revision).toBeGreaterThan(last);
    last = entry.revision;
  }
  expect(revision).toBeGreaterThanOrEqual(last);
}

/** The batches of a watch, one at a time. */
export function watching(store: Store, prefix: string, from: number) {
  const stop = new AbortController();
  const batches = store.watch(prefix, from, stop.signal)[Symbol.asyncIterator]();
  const waiting: Change[] = [];
  return {
    stop: () => stop.abort(),
    next: () => batches.next(),
    /** The next change, past batches that carry none. */
    async change(): Promise<Seen> {
      for (;;) {
        const change = waiting.shift();
        if (change) return seen(change);
        const { done, value } = await batches.next();
        if (done) throw new Error('the watch has ended');
        waiting.push(...value.changes);
      }
    },
  };
}
