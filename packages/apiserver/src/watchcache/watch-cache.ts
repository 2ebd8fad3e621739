import {
  type Batch,
  type Change,
  CorruptEntry,
  CorruptValue,
  type Entry,
  FutureRevision,
  isEncrypted,
  type Page,
  type Store,
  type StoreDeleteOptions,
  type StoreListOptions,
  type StoreWriteOptions,
  Unavailable,
  UnreadableValue,
} from '@tsukube/storage';
import { type Allocate, allocateAlone, allocateFromSlabs, type CacheEntry, type CacheEvent, type Present } from './entry.ts';
import { EventHistory, entriesAt } from './event-history.ts';
import { EvictableEntry, type Source } from './evictable-entry.ts';
import type { Feed } from './feed.ts';
import type { Follower, ObjectCache, Replayed } from './object-cache.ts';
import { SortedEntries } from './sorted-entries.ts';

export interface WatchCacheOptions {
  /** Ends at a slash, or is empty. The cache answers for keys below it and nothing else. */
  readonly prefix: string;
  readonly present?: Present;
  /** Whether the store holds a value as it would be written, where that cannot be told from what is presented. */
  readonly holds?: (key: string, value: Uint8Array) => Promise<boolean>;
  /** Called when the value of an entry is let go: what was derived from it and is large may go too. */
  readonly onRelease?: (entry: CacheEntry) => void;
  readonly maxHistoryEvents?: number;
  readonly maxHistoryBytes?: number;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

const pageSize = 5000;

/** kube-apiserver's words for an encrypted value of a resource that no provider is configured for. */
const encryptedUnexpectedly = 'identity transformer tried to read encrypted data';

/** After a value could not be read, reads fail for this long before everything is listed again. */
const unreadableMs = 1000;

type State =
  | { readonly at: 'cold' }
  | { readonly at: 'loading'; readonly done: Promise<void>; readonly missed: Change[] }
  | { readonly at: 'ready' };

/**
 * A store in memory in front of a store: writes pass through, reads and watches are answered from here. It is filled
 * when first read, and fed by the one stream of changes that all caches share.
 */
export class WatchCache implements Store, ObjectCache {
  readonly prefix: string;
  readonly #store: Store;
  readonly #feed: Feed;
  readonly #present: Present;
  readonly #holds: WatchCacheOptions['holds'];
  readonly #allocate: Allocate;
  readonly #onRelease: (entry: CacheEntry) => void;
  readonly #source: Source & { turn: number };
  readonly #entries = new SortedEntries();
  readonly #followers = new Set<Follower>();
  /** The newest write under way of each key. */
  readonly #writing = new Map<string, Promise<unknown>>();
  readonly #maxHistoryEvents: number;
  readonly #maxHistoryBytes: number;
  readonly #unlisten: () => void;
  readonly #now: () => number;
  #history: EventHistory;
  /** Lists at older revisions fail with Compacted, as in the store. */
  #compacted = 0;
  #state: State = { at: 'cold' };
  #unreadable: { readonly error: UnreadableValue; readonly until: number } | undefined;
  #loadedAt = 0;
  #closed = false;

  constructor(store: Store, feed: Feed, options: WatchCacheOptions) {
    this.#store = store;
    this.#feed = feed;
    this.prefix = options.prefix;
    this.#present = options.present ?? asStored;
    this.#holds = options.holds;
    this.#now = options.now ?? (() => performance.now());
    this.#allocate = store.valueAt ? allocateFromSlabs() : allocateAlone;
    this.#onRelease = options.onRelease ?? nothing;
    this.#source = {
      turn: 1,
      read: (revision, key) => this.#present(store.valueAt?.(revision, key) as Uint8Array, revision, this.#allocate),
    };
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
    if (this.#state.at === 'ready') return this.#feed.caughtUp();
    return this.#load().then(() => this.#feed.caughtUp() ?? true);
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
    return entry && this.#enter(entry);
  }

  async read(key: string): Promise<CacheEntry | undefined> {
    if (this.#state.at === 'ready') return this.get(key);
    this.#checkOpen();
    await this.#feed.fence.lowered;
    const entry = await this.#store.get(key);
    return entry && this.#enter(entry);
  }

  async list(prefix: string, options: StoreListOptions = {}): Promise<Page & { readonly entries: readonly CacheEntry[] }> {
    const fresh = await this.#isFresh();
    if (options.revision !== undefined && options.revision > this.current) throw new FutureRevision(this.current);
    const all = fresh ? this.#collect(prefix, options) : undefined;
    return all ? page(all, options, options.revision ?? this.current) : this.#listStore(prefix, options);
  }

  #collect(prefix: string, { from = '', revision }: StoreListOptions): CacheEntry[] | undefined {
    if (revision === undefined || revision === this.current) return this.#entries.slice(prefix, from, Number.POSITIVE_INFINITY);
    return this.past(prefix, from, revision);
  }

  /** Entries read from the store itself: the past beyond memory, or the present when memory lags. */
  async #listStore(prefix: string, options: StoreListOptions): Promise<Page & { readonly entries: readonly CacheEntry[] }> {
    const found = await this.#store.list(prefix, options);
    return { ...found, entries: found.entries.map((entry) => this.#enter(entry)) };
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

  /** Lets go of what the store has compacted, and of values that nobody has needed since the turn before the last. */
  forget(revision: number): void {
    this.#history.forget(revision);
    this.#compacted = Math.max(this.#compacted, revision);
    this.#source.turn++;
    if (!this.#store.valueAt) return;
    for (const entry of this.#entries.all()) this.#release(entry, this.#source.turn - 1);
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

  async *watch(prefix: string, from: number, signal: AbortSignal): AsyncIterable<Batch> {
    let position = from - 1;
    let announced = false;
    while (!signal.aborted && !this.#closed) {
      const loading = this.loaded();
      if (loading) await loading;
      const held = this.eventsAfter(position);
      if (!held) {
        for await (const { events, revision } of this.replay(prefix, position + 1, signal)) {
          yield { changes: events, revision };
          position = Math.max(position, revision);
          if (this.eventsAfter(position)) break;
        }
      } else if (held.length > 0) {
        position = (held.at(-1) as CacheEvent).entry.revision;
        yield { changes: held.filter((event) => event.entry.key.startsWith(prefix)), revision: position };
      } else {
        if (!announced) yield { changes: [], revision: Math.max(position, this.current) };
        else await this.#nextEvent(signal);
        announced = true;
      }
    }
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

  #nextEvent(signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        unfollow();
        signal.removeEventListener('abort', done);
        resolve();
      };
      const unfollow = this.follow({ onEvents: done, onGap: done });
      signal.addEventListener('abort', done, { once: true });
    });
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

  /** Page by page, so that what is read and what is kept of it need not both be there at once. */
  async #fill(missed: Change[]): Promise<void> {
    const entries: EvictableEntry[] = [];
    let page = await this.#store.list(this.prefix, { limit: pageSize });
    const { revision } = page;
    for (;;) {
      for (const entry of page.entries) entries.push(this.#enter(entry));
      if (!page.more) break;
      page = await this.#store.list(this.prefix, { limit: pageSize, from: `${entries.at(-1)?.key}\0`, revision });
    }
    // A gap while listing: changes after the listed revision may be lost, so list again.
    if (!this.#isLoading(missed)) return this.loaded();
    this.#entries.load(entries);
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
    // The stream may be behind what was read.
    const events = changes.flatMap((change) => (change.entry.revision > this.#loadedAt ? this.#apply(change) : []));
    if (events.length === 0) return;
    for (const follower of this.#followers) tell(follower, events);
  }

  #apply(change: Change): CacheEvent {
    const previous = this.#entries.get(change.entry.key);
    const entry = this.#enter(change.entry);
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

  /** The state is read anew; watches end, for nobody knows what they missed. */
  #onGap(): void {
    this.#state = { at: 'cold' };
    this.#history = this.#newHistory(this.#feed.revision);
    for (const follower of this.#followers) follower.onGap();
  }

  #eventOf(change: Change): CacheEvent {
    const previous = change.previous && this.#enter(change.previous);
    return { type: change.type, entry: this.#enter(change.entry), previous, weight: 0, frames: undefined };
  }

  /** The entry that the feed brought, so that memory and answer share their bytes; made here if it has not come yet. */
  #written(entry: Entry): CacheEntry {
    const known = this.#entries.get(entry.key);
    return known?.revision === entry.revision ? known : this.#enter(entry);
  }

  #enter(entry: Entry): EvictableEntry {
    if (entry instanceof CorruptEntry) return EvictableEntry.corrupt(entry);
    const { key, revision, created } = entry;
    const { value } = entry;
    try {
      return new EvictableEntry(key, revision, created, this.#present(value, revision, this.#allocate), this.#source);
    } catch (error) {
      throw new UnreadableValue(key, revision, isEncrypted(value) ? new Error(encryptedUnexpectedly) : error);
    }
  }

  #newHistory(floor: number): EventHistory {
    return new EventHistory(floor, this.#maxHistoryEvents, this.#maxHistoryBytes, (event) => this.#onForgotten(event));
  }

  /** A value that was written and not asked for again is on the disk; it comes back when it is. */
  #onForgotten({ type, entry }: CacheEvent): void {
    if (type === 'put' && this.#store.valueAt && this.#entries.get(entry.key) === entry)
      this.#release(entry as EvictableEntry, Number.POSITIVE_INFINITY);
  }

  #release(entry: EvictableEntry, before: number): void {
    if (entry.release(before)) this.#onRelease(entry);
  }
}

/** Memory that could not be filled because of a value is not fresh. */
function unlessUnreadable(error: unknown): false {
  if (error instanceof UnreadableValue) return false;
  throw error;
}

/** A follower that meets a damaged value, of what an object was before or of one that is removed, has to start over. */
function tell(follower: Follower, events: readonly CacheEvent[]): void {
  try {
    follower.onEvents(events);
  } catch (error) {
    if (!(error instanceof CorruptValue)) throw error;
    follower.onGap();
  }
}

function nothing(): void {}

const asStored: Present = (value) => Buffer.from(value.buffer, value.byteOffset, value.byteLength);

function page(
  all: CacheEntry[],
  { limit = 0 }: StoreListOptions,
  revision: number,
): Page & { readonly entries: readonly CacheEntry[] } {
  const more = limit > 0 && all.length > limit;
  return { entries: more ? all.slice(0, limit) : all, revision, more, count: all.length };
}
