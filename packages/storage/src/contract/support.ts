import { expect } from 'vitest';
import type { Clock } from '../clock.ts';
import type { Batch, Change, Store } from '../store.ts';

/** A store opened for one test, with its own data. */
export interface StoreUnderTest {
  readonly store: Store;
  /** Advances the store's clock. Absent if it uses real time: the suite then waits. */
  advance?(seconds: number): void;
  /** Reopens the same data, as after a crash. Absent for stores without persistence. */
  reopen?(): Promise<StoreUnderTest>;
  /** Closes the store, unless it is closed already, and removes its data. */
  close(): Promise<void>;
}

export type OpenStore = () => Promise<StoreUnderTest>;

export function bytes(text: string): Buffer {
  return Buffer.from(text);
}

export function textOf(value: Uint8Array | undefined): string | undefined {
  return value && Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString();
}

/** Returns an integer in [0, limit). */
export type SeededRandom = (limit: number) => number;

/** Deterministic for a seed (mulberry32). */
export function seeded(seed: number): SeededRandom {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
}

/** A change in a form that tests can compare. */
export interface Seen {
  readonly type: 'put' | 'delete';
  readonly key: string;
  readonly value: string | undefined;
  readonly revision: number;
  /** Revision and value before the change. */
  readonly previous: readonly [number, string | undefined] | undefined;
}

export function seen({ type, entry, previous }: Change): Seen {
  const { key, value, revision } = entry;
  if (previous) expect(previous.key).toBe(key);
  return { type, key, value: textOf(value), revision, previous: previous && [previous.revision, textOf(previous.value)] };
}

/** Collects the changes of a watch until it has covered a revision, and checks the order of batches. */
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

/** A watch, read one batch at a time. */
export function watching(store: Store, prefix: string, from: number) {
  const stop = new AbortController();
  const batches = store.watch(prefix, from, stop.signal)[Symbol.asyncIterator]();
  const waiting: Change[] = [];
  return {
    stop: () => stop.abort(),
    next: () => batches.next(),
    /** The next change; skips empty batches. */
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

/** A clock that only moves when a test advances it. */
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
