import type { Page, Store, StoreListOptions } from '@tsukube/storage';
import type { CacheEntry, CacheEvent } from './entry.ts';

/** Told of events as they happen. */
export interface Follower {
  /** In order, never none. The array is shared: it must not be changed. */
  onEvents(events: readonly CacheEvent[]): void;
  /** Events were missed and cannot be had any more, or the cache is closed. */
  onGap(): void;
}

export interface Replayed {
  readonly events: readonly CacheEvent[];
  readonly revision: number;
}

/** The entries below one prefix of the store, as registries and handlers read and write them. */
export interface ObjectCache extends Pick<Store, 'delete' | 'ping' | 'close'> {
  /** Ends at a slash, or is empty. */
  readonly prefix: string;
  /** The revision that reads without a wait show. */
  readonly current: number;
  readonly size: number;
  /** Of all values together. */
  readonly bytes: number;
  readonly isClosed: boolean;
  /** Whether the store has values that cannot be read, of this cache or another. */
  readonly hasCorruption: boolean;

  /**
   * Undefined if a read may go ahead at once; the promise says whether memory is fresh enough to answer. Rejects with
   * UnreadableValue while a value of the resource cannot be read; `get` and `list` then read from the store.
   */
  fresh(): Promise<boolean> | undefined;
  /** Undefined if a read of this key may go ahead at once. It waits for a write of the key that is under way. */
  freshAt(key: string): Promise<boolean> | undefined;
  /** Undefined if the cache is filled, however old its state. */
  loaded(): Promise<void> | undefined;

  /** What memory holds now. Only after `fresh` or `loaded`, as the four below. */
  peek(key: string): CacheEntry | undefined;
  slice(prefix: string, from?: string, limit?: number): CacheEntry[];
  range(prefix: string, from?: string): Iterable<CacheEntry>;
  count(prefix: string, from?: string): number;
  /** All entries as they were at a revision, or undefined if memory does not reach back so far. */
  past(prefix: string, from: string, revision: number): CacheEntry[] | undefined;

  get(key: string): Promise<CacheEntry | undefined>;
  /** A linearizable read, at once where memory is fresh. */
  lookup(key: string): CacheEntry | undefined | Promise<CacheEntry | undefined>;
  /** The same without filling the cache for it. */
  read(key: string): Promise<CacheEntry | undefined>;
  list(prefix: string, options?: StoreListOptions): Promise<Page & { readonly entries: readonly CacheEntry[] }>;

  create(...args: Parameters<Store['create']>): Promise<CacheEntry>;
  update(...args: Parameters<Store['update']>): Promise<CacheEntry>;
  /** Whether writing a value whose presented form has not changed would change nothing in the store either. */
  holds(key: string, value: Uint8Array): Promise<boolean> | true;

  /** From now on, until the returned function is called. */
  follow(follower: Follower): () => void;
  /** The events after a revision that memory holds; undefined if it does not hold all of them. */
  eventsAfter(revision: number): readonly CacheEvent[] | undefined;
  /** Events of the past from the store, for where memory does not reach. Fails with Compacted. */
  replay(prefix: string, from: number, signal: AbortSignal): AsyncIterable<Replayed>;
}
