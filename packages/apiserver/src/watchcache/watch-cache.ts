import {
  type Batch,
  type Change,
  CorruptValue,
  type Entry,
  FutureRevision,
  type Store,
  type StoreDeleteOptions,
  type StoreListOptions,
  type StoreWriteOptions,
  Unavailable,
  UnreadableValue,
} from '@tsukube/storage';
import { watchCache } from './cache-watch.ts';
import type { CacheEntry, CacheEvent, Present } from './entry.ts';
import { EventHistory, entriesAt } from './event-history.ts';
import { type EvictableEntry, StoreSource } from './evictable-entry.ts';
import type { Feed } from './feed.ts';
import type { CachePage, Follower, ObjectCache, Replayed } from './object-cache.ts';
import { SortedEntries } from './sorted-entries.ts';

export interface WatchCacheOptions {
  /** Ends with a slash, or is empty. The cache serves the keys below it. */
  readonly prefix: string;
  readonly present?: Present;
  /** Whether the store holds a value as it would be written, if the presented form does not show that. */
  readonly holds?: (key: string, value: Uint8Array) => Promise<boolean>;
  /** Called when a value is evicted, so that large derived values can be dropped too. */
  readonly onEvict?: (entry: CacheEntry) => void;
  readonly maxHistoryEvents?: number;
  readonly maxHistoryBytes?: number;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

const pageSize = 5000;

/** Loads for one read, each after a gap that made the one before obsolete. */
const maxLoads = 3;

/** After a value could not be read, loads fail for this long before the store is listed again. */
const unreadableMs = 1000;

type State =
  | { readonly at: 'cold' }
  | { readonly at: 'loading'; readonly done: Promise<void>; readonly missed: Change[] }
  | { readonly at: 'ready' };

/**
 * A store in front of a store: writes pass through, reads and watches are served from memory. Loaded by the first read, and kept up
 * to date by the feed that all caches share.
 */
export class WatchCache implements Store, ObjectCache {
  readonly prefix: string;
  readonly #store: Store;
  readonly #feed: Feed;
  readonly #holds: WatchCacheOptions['holds'];
  readonly #onEvict: (entry: CacheEntry) => void;
  readonly #source: StoreSource;
  #entries = new SortedEntries();
  readonly #followers = new Set<Follower>();
  /** The newest write in progress of each key. */
  readonly #writing = new Map<string, Promise<unknown>>();
  readonly #maxHistoryEvents: number;
  readonly #maxHistoryBytes: number;
  readonly #unlisten: () => void;
  readonly #now: () => number;
  #history: EventHistory;
  /** Lists at older revisions throw Compacted, as in the store. */
  #compacted = 0;
  #state: State = { at: 'cold' };
  #unreadable: { readonly error: UnreadableValue; readonly until: number } | undefined;
  #loadedAt = 0;
  #closed = false;

  constructor(store: Store, feed: Feed, options: WatchCacheOptions) {
    this.#store = store;
    this.#feed = feed;
    this.prefix = options.prefix;
    this.#holds = options.holds;
    this.#now = options.now ?? (() => performance.now());
    this.#onEvict = options.onEvict ?? (() => {});
    this.#source = new StoreSource(store, options.present);
    this.#maxHistoryEvents = options.maxHistoryEvents ?? 10_000;
    this.#maxHistoryBytes = options.maxHistoryBytes ?? 8 << 20;
    this.#history = this.#newHistory(0);
    this.#unlisten = feed.listen({
      prefix: this.prefix,
      onChanges: (changes) => this.#onChanges(changes),
      onGap: () => this.#onGap(),
      onCompaction: (revision) => this.forget(revision),
    });
  }

  get current(): number {
    return this.#feed.revision;
  }

  get size(): number {
    return this.#entries.size;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  get bytes(): number {
    return this.#entries.bytes;
  }

  get hasCorruption(): boolean {
    return (this.#store.corruption?.().count ?? 0) > 0;
  }

  fresh(): Promise<boolean> | undefined {
    this.#checkOpen();
    if (this.#state.at !== 'ready') return this.#loadFresh();
    return this.#feed.caughtUp()?.then((reached) => (this.#state.at === 'ready' ? reached : this.#loadFresh()));
  }

  /** A gap while the feed catches up leaves entries that are out of date: they are loaded again. */
  async #loadFresh(): Promise<boolean> {
    for (let attempt = 0; attempt < maxLoads; attempt++) {
      await this.loaded();
      const reached = (await this.#feed.caughtUp()) ?? true;
      if (this.#state.at === 'ready') return reached;
    }
    return false;
  }

  freshAt(key: string): Promise<boolean> | undefined {
    const writing = this.#writing.size === 0 ? undefined : this.#writing.get(key);
    if (!writing) return this.fresh();
    const settled = () => this.fresh() ?? true;
    return writing.then(settled, settled);
  }

  loaded(): Promise<void> | undefined {
    return this.#state.at === 'ready' ? undefined : this.#load();
  }

  peek(key: string): CacheEntry | undefined {
    return this.#entries.get(key);
  }

  slice(prefix: string, from = '', limit = Number.POSITIVE_INFINITY): CacheEntry[] {
    return this.#entries.slice(prefix, from, limit);
  }

  range(prefix: string, from = ''): Iterable<CacheEntry> {
    return this.#entries.range(prefix, from);
  }

  count(prefix: string, from = ''): number {
    return this.#entries.count(prefix, from);
  }

  past(prefix: string, from: string, revision: number): CacheEntry[] | undefined {
    const later = revision < this.#compacted ? undefined : this.#history.after(revision);
    return later && entriesAt(this.#entries, later, prefix, from);
  }

  async revision(): Promise<number> {
    return (await this.#isFresh()) ? this.current : this.#store.revision();
  }

  async #isFresh(): Promise<boolean> {
    return (await this.fresh()?.catch(unlessUnreadable)) ?? true;
  }

  async get(key: string): Promise<CacheEntry | undefined> {
    return this.lookup(key);
  }

  lookup(key: string): CacheEntry | undefined | Promise<CacheEntry | undefined> {
    const waiting = this.fresh();
    return waiting ? this.#getAfter(waiting, key) : this.#entries.get(key);
  }

  async #getAfter(waiting: Promise<boolean>, key: string): Promise<CacheEntry | undefined> {
    if (await waiting.catch(unlessUnreadable)) return this.#entries.get(key);
    const entry = await this.#store.get(key);
    return entry && this.#source.enter(entry);
  }

  async read(key: string): Promise<CacheEntry | undefined> {
    if (this.#state.at === 'ready') return this.get(key);
    this.#checkOpen();
    await this.#feed.fence.lowered;
    const entry = await this.#store.get(key);
    return entry && this.#source.enter(entry);
  }

  async list(prefix: string, options: StoreListOptions = {}): Promise<CachePage> {
    const fresh = await this.#isFresh();
    if (options.revision !== undefined && options.revision > this.current) throw new FutureRevision(this.current);
    const all = fresh ? this.#collect(prefix, options) : undefined;
    return all ? page(all, options, options.revision ?? this.current) : this.#listStore(prefix, options);
  }

  #collect(prefix: string, { from = '', revision }: StoreListOptions): CacheEntry[] | undefined {
    if (revision === undefined || revision === this.current) return this.#entries.slice(prefix, from, Number.POSITIVE_INFINITY);
    return this.past(prefix, from, revision);
  }

  /** Lists from the store: a past beyond the history, or the present if the cache lags. */
  async #listStore(prefix: string, options: StoreListOptions): Promise<CachePage> {
    const found = await this.#store.list(prefix, options);
    return { ...found, entries: found.entries.map((entry) => this.#source.enter(entry)) };
  }

  async create(key: string, value: Uint8Array, options?: StoreWriteOptions): Promise<CacheEntry> {
    this.#checkOpen();
    return this.#written(await this.#underWay(key, this.#store.create(key, value, options)));
  }

  async update(key: string, value: Uint8Array, expected: number, options?: StoreWriteOptions): Promise<CacheEntry> {
    this.#checkOpen();
    return this.#written(await this.#underWay(key, this.#store.update(key, value, expected, options)));
  }

  delete(key: string, expected: number, options?: StoreDeleteOptions): Promise<number> {
    return this.#underWay(key, this.#store.delete(key, expected, options));
  }

  cancelledUnderWay(): Promise<void> | undefined {
    return this.#store.cancelledUnderWay();
  }

  holds(key: string, value: Uint8Array): Promise<boolean> | true {
    const holdsForm = () => this.#holds?.(key, value) ?? true;
    return this.#store.isStale?.(key).then((stale) => !stale && holdsForm()) ?? holdsForm();
  }

  async compact(revision: number): Promise<void> {
    this.forget(revision);
    await this.#store.compact(revision);
  }

  /** Drops history that the store compacts, and evicts values not read since the turn before the last. */
  forget(revision: number): void {
    this.#history.forget(revision);
    this.#compacted = Math.max(this.#compacted, revision);
    this.#source.turn++;
    if (!this.#store.valueAt) return;
    for (const entry of this.#entries.all()) this.#evict(entry, this.#source.turn - 1);
  }

  async ping(): Promise<void> {
    this.#checkOpen();
    await this.#store.ping();
  }

  /** Ends watches; the store below stays open. */
  async close(): Promise<void> {
    this.#unlisten();
    this.#closed = true;
    for (const follower of this.#followers) follower.onGap();
  }

  follow(follower: Follower): () => void {
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }

  eventsAfter(revision: number): readonly CacheEvent[] | undefined {
    return this.#state.at === 'ready' ? this.#history.after(revision) : undefined;
  }

  async *replay(prefix: string, from: number, signal: AbortSignal): AsyncIterable<Replayed> {
    for await (const { changes, revision } of this.#store.watch(prefix, from, signal)) {
      yield { events: changes.map((change) => this.#eventOf(change)), revision };
    }
  }

  watch(prefix: string, from: number, signal: AbortSignal): AsyncIterable<Batch> {
    return watchCache(this, prefix, from, signal);
  }

  async #underWay<T>(key: string, write: Promise<T>): Promise<T> {
    this.#writing.set(key, write);
    try {
      return await write;
    } finally {
      if (this.#writing.get(key) === write) this.#writing.delete(key);
    }
  }

  #checkOpen(): void {
    if (this.#closed) throw new Unavailable('the cache has been closed', { unwritten: true });
  }

  #load(): Promise<void> {
    if (this.#state.at === 'loading') return this.#state.done;
    if (this.#unreadable && this.#now() < this.#unreadable.until) return Promise.reject(this.#unreadable.error);
    const missed: Change[] = [];
    const done = this.#fill(missed).catch((error) => {
      if (this.#isLoading(missed)) this.#state = { at: 'cold' };
      if (error instanceof UnreadableValue) this.#unreadable = { error, until: this.#now() + unreadableMs };
      throw error;
    });
    this.#state = { at: 'loading', done, missed };
    return done;
  }

  /** Lists in pages, so that stored and presented values are not all in memory at once, and other requests are served in between. */
  async #fill(missed: Change[]): Promise<void> {
    const loaded = new SortedEntries();
    const options = { limit: pageSize, lazyValues: !this.#source.keepsValues };
    let page = await this.#store.list(this.prefix, options);
    const { revision } = page;
    for (;;) {
      loaded.append(page.entries.map((entry) => this.#source.enterListed(entry)));
      if (!page.more) break;
      page = await this.#store.list(this.prefix, { ...options, from: `${page.entries.at(-1)?.key}\0`, revision });
    }
    // After a gap, changes since the listed revision may be lost: list again.
    if (!this.#isLoading(missed)) return this.loaded();
    this.#entries = loaded;
    this.#history = this.#newHistory(revision);
    this.#state = { at: 'ready' };
    this.#loadedAt = revision;
    this.#unreadable = undefined;
    try {
      this.#onChanges(missed);
    } catch (error) {
      this.#onGap();
      throw error;
    }
  }

  #isLoading(missed: readonly Change[]): boolean {
    return this.#state.at === 'loading' && this.#state.missed === missed;
  }

  #onChanges(changes: readonly Change[]): void {
    if (this.#state.at === 'loading') return void this.#state.missed.push(...changes);
    if (this.#state.at === 'cold') return;
    // The feed may be behind the listed revision.
    const events = changes.flatMap((change) => (change.entry.revision > this.#loadedAt ? this.#apply(change) : []));
    if (events.length === 0) return;
    for (const follower of this.#followers) tell(follower, events);
  }

  #apply(change: Change): CacheEvent {
    const previous = this.#entries.get(change.entry.key);
    const entry = this.#source.enter(change.entry);
    if (change.type === 'put') this.#entries.set(entry);
    else this.#entries.delete(entry.key);
    const event = { type: change.type, entry, previous, weight: this.#weight(entry, previous), frames: undefined };
    this.#history.push(event);
    return event;
  }

  #weight(entry: EvictableEntry, previous: EvictableEntry | undefined): number {
    const written = this.#store.valueAt ? entry.size : 0;
    return written + (previous?.size ?? 0) + 256;
  }

  /** Changes were lost: the next read loads again, and followers start over. */
  #onGap(): void {
    this.#state = { at: 'cold' };
    this.#history = this.#newHistory(this.#feed.revision);
    for (const follower of this.#followers) follower.onGap();
  }

  #eventOf(change: Change): CacheEvent {
    const previous = change.previous && this.#source.enter(change.previous);
    return { type: change.type, entry: this.#source.enter(change.entry), previous, weight: 0, frames: undefined };
  }

  /** The entry delivered by the feed, which shares its bytes with the response; a new one if the feed lags. */
  #written(entry: Entry): CacheEntry {
    const known = this.#entries.get(entry.key);
    return known?.revision === entry.revision ? known : this.#source.enter(entry);
  }

  #newHistory(floor: number): EventHistory {
    return new EventHistory(floor, this.#maxHistoryEvents, this.#maxHistoryBytes, (event) => this.#onForgotten(event));
  }

  /** A value whose write event is dropped is evicted; reads load it from disk again. */
  #onForgotten({ type, entry }: CacheEvent): void {
    if (type === 'put' && this.#store.valueAt && this.#entries.get(entry.key) === entry)
      this.#evict(entry as EvictableEntry, Number.POSITIVE_INFINITY);
  }

  #evict(entry: EvictableEntry, before: number): void {
    if (entry.evict(before)) this.#onEvict(entry);
  }
}

/** A cache that cannot load because of an unreadable value is not fresh. */
function unlessUnreadable(error: unknown): false {
  if (error instanceof UnreadableValue) return false;
  throw error;
}

/** A follower that reads a corrupt value, of a previous or deleted object, has to start over. */
function tell(follower: Follower, events: readonly CacheEvent[]): void {
  try {
    follower.onEvents(events);
  } catch (error) {
    if (!(error instanceof CorruptValue)) throw error;
    follower.onGap();
  }
}

function page(all: CacheEntry[], { limit = 0 }: StoreListOptions, revision: number): CachePage {
  const more = limit > 0 && all.length > limit;
  return { entries: more ? all.slice(0, limit) : all, revision, more, count: all.length };
}
