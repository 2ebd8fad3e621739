import { expect } from 'vitest';
import type { Clock } from '../clock.ts';
import type { Batch, Change, Store } from '../store.ts';

/** A store opened for one test, on data of its own. */
export interface StoreUnderTest {
  readonly store: Store;
  /** Lets the time of the store pass. Absent where it runs on real time: the suite then waits. */
  advance?(seconds: number): void;
  /** Opens the same data again, as after the death of the process. Absent where data dies with the process. */
  reopen?(): Promise<StoreUnderTest>;
  /** Closes the store, which may be closed already, and disposes of the data. */
  close(): Promise<void>;
}

export type OpenStore = () => Promise<StoreUnderTest>;

export function bytes(text: string): Buffer {
  return Buffer.from(text);
}

export function textOf(value: Uint8Array | undefined): string | undefined {
  return value && Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString();
}

/** A whole number from 0 to below the limit. */
export type SeededRandom = (limit: number) => number;

/** The same numbers for the same seed (mulberry32). */
export function seeded(seed: number): SeededRandom {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
}

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
  return { type, key, value: textOf(value), revision, previous: previous && [previous.revision, textOf(previous.value)] };
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

interface Timer {
  readonly due: number;
  readonly callback: () => void;
}

/** A clock that stands still until a test moves it. */
export class ManualClock implements Clock {
  #now = Date.UTC(2030, 0, 1);
  readonly #timers = new Set<Timer>();

  now(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { due: this.#now + ms, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  advance(seconds: number): void {
    this.#now += seconds * 1000;
    for (const timer of [...this.#timers]) if (timer.due <= this.#now && this.#timers.delete(timer)) timer.callback();
  }
}
