import type { Page, Store, StoreListOptions } from '@tsukube/storage';
import type { CacheEntry, CacheEvent } from './entry.ts';

/** Receives events as they happen. */
export interface Follower {
  /** In order, at least one. The array is shared and must not be changed. */
  onEvents(events: readonly CacheEvent[]): void;
  /** Events were lost, or the cache is closed. */
  onGap(): void;
}

export type CachePage = Page & { readonly entries: readonly CacheEntry[] };

export interface Replayed {
  readonly events: readonly CacheEvent[];
  readonly revision: number;
}

/** The entries below a prefix of the store, as registries and handlers read and write them. */
export interface ObjectCache extends Pick<Store, 'delete' | 'ping' | 'close'> {
  /** Ends with a slash, or is empty. */
  readonly prefix: string;
  /** The revision of reads that do not wait. */
  readonly current: number;
  readonly size: number;
  /** The size of all values. */
  readonly bytes: number;
  readonly isClosed: boolean;
  /** Nothing is kept in memory: reads call `get` and `list` each time, and always see the newest state. */
  readonly isUncached?: boolean;
  /** Whether the store has corrupt values, in this cache or another. */
  readonly hasCorruption: boolean;

  /**
   * Undefined if a read may proceed now. Resolves to whether the cache is fresh enough to answer. Rejects with UnreadableValue
   * while a value of the resource cannot be read; `get` and `list` then read from the store.
   */
  fresh(): Promise<boolean> | undefined;
  /** As `fresh`, for one key: also waits for a write of the key in progress. */
  freshAt(key: string): Promise<boolean> | undefined;
  /** Undefined if the cache is loaded, however old its state. */
  loaded(): Promise<void> | undefined;

  /** The cached entry. Only after `fresh` or `loaded`, like the next four. */
  peek(key: string): CacheEntry | undefined;
  slice(prefix: string, from?: string, limit?: number): CacheEntry[];
  range(prefix: string, from?: string): Iterable<CacheEntry>;
  count(prefix: string, from?: string): number;
  /** All entries as of a revision, or undefined if the history does not reach back that far. */
  past(prefix: string, from: string, revision: number): CacheEntry[] | undefined;

  get(key: string): Promise<CacheEntry | undefined>;
  /** A linearizable read, synchronous if the cache is fresh. */
  lookup(key: string): CacheEntry | undefined | Promise<CacheEntry | undefined>;
  /** A linearizable read that does not load the cache. */
  read(key: string): Promise<CacheEntry | undefined>;
  list(prefix: string, options?: StoreListOptions): Promise<CachePage>;

  create(...args: Parameters<Store['create']>): Promise<CacheEntry>;
  update(...args: Parameters<Store['update']>): Promise<CacheEntry>;
  /** Whether writing a value whose presented form is unchanged would change nothing in the store either. */
  holds(key: string, value: Uint8Array): Promise<boolean> | true;

  /** Delivers events from now on, until the returned function is called. */
  follow(follower: Follower): () => void;
  /** The events after a revision; undefined if the history does not hold all of them. */
  eventsAfter(revision: number): readonly CacheEvent[] | undefined;
  /** Past events from the store, beyond the history. Throws Compacted. */
  replay(prefix: string, from: number, signal: AbortSignal): AsyncIterable<Replayed>;
}
