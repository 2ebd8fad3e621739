import {
  CorruptEntry,
  CorruptValue,
  type Entry,
  type Page,
  type StoreDeleteOptions,
  type StoreListOptions,
  type StoreWriteOptions,
  Unavailable,
} from '@tsukube/storage';
import type { CacheEntry } from '../watchcache/entry.ts';
import { EvictableEntry } from '../watchcache/evictable-entry.ts';
import type { CachePage, ObjectCache, Replayed } from '../watchcache/object-cache.ts';
import { type MainThread, ownedBytes } from './thread-calls.ts';

export interface EntryMessage {
  readonly key: string;
  readonly value: Uint8Array;
  readonly revision: number;
  readonly created: number;
}

/** An entry, 'known' if the caller has it, or undefined if there is none. */
export type EntryReply = EntryMessage | 'known' | undefined;

/** `problem` is set if the value is known to be corrupt. */
export type KeyMessage = readonly [key: string, revision: number, problem?: string | undefined];

/** `job` identifies the request of the write; the main thread tracks its cancellation. */
export interface WriteMessage {
  readonly job: number | undefined;
  readonly ttlSeconds?: number | undefined;
}

/** The calls of a worker to the caches on the main thread. `cache` is the name of a cache. */
export interface CacheCalls {
  state(cache: string): Pick<ObjectCache, 'current' | 'size' | 'bytes' | 'hasCorruption'>;
  fresh(cache: string): Promise<boolean>;
  freshAt(cache: string, key: string): Promise<boolean>;
  loaded(cache: string): Promise<void>;
  peek(cache: string, key: string, known: number): EntryReply;
  get(cache: string, key: string, known: number): Promise<EntryReply>;
  read(cache: string, key: string, known: number): Promise<EntryReply>;
  /** The keys and revisions of cached entries. */
  keys(cache: string, prefix: string, from: string, limit: number): readonly KeyMessage[];
  count(cache: string, prefix: string, from: string): number;
  list(cache: string, prefix: string, options: StoreListOptions): Promise<Page & { readonly entries: readonly EntryMessage[] }>;
  create(cache: string, key: string, value: Uint8Array, options: WriteMessage): Promise<EntryMessage>;
  update(cache: string, key: string, value: Uint8Array, expected: number, options: WriteMessage): Promise<EntryMessage>;
  delete(cache: string, key: string, expected: number, options: WriteMessage): Promise<number>;
  holds(cache: string, key: string, value: Uint8Array): Promise<boolean>;
  ping(cache: string): Promise<void>;
}

export interface RemoteCacheOptions {
  readonly name: string;
  readonly prefix: string;
  readonly main: MainThread<CacheCalls>;
  /** The request being served in the calling async context. */
  readonly currentJob: () => number | undefined;
  /** Caches entries until they change: for objects that are read often, such as CustomResourceDefinitions. */
  readonly remembers?: boolean;
}

/**
 * A worker's view of a cache on the main thread, where every read and write is made. So freshness and the order of writes are the
 * same for all threads. It emits no events: watches are served on the main thread.
 */
export class RemoteCache implements ObjectCache {
  readonly prefix: string;
  readonly isClosed = false;
  readonly #name: string;
  readonly #main: MainThread<CacheCalls>;
  readonly #currentJob: () => number | undefined;
  readonly #remembered: Map<string, CacheEntry> | undefined;

  constructor({ name, prefix, main, currentJob, remembers }: RemoteCacheOptions) {
    this.prefix = prefix;
    this.#name = name;
    this.#main = main;
    this.#currentJob = currentJob;
    this.#remembered = remembers ? new Map() : undefined;
  }

  get current(): number {
    return this.#main.callNow('state', this.#name).current;
  }

  get size(): number {
    return this.#main.callNow('state', this.#name).size;
  }

  get bytes(): number {
    return this.#main.callNow('state', this.#name).bytes;
  }

  get hasCorruption(): boolean {
    return this.#main.callNow('state', this.#name).hasCorruption;
  }

  fresh(): Promise<boolean> {
    return this.#main.call('fresh', this.#name);
  }

  freshAt(key: string): Promise<boolean> {
    return this.#main.call('freshAt', this.#name, key);
  }

  loaded(): Promise<void> {
    return this.#main.call('loaded', this.#name);
  }

  peek(key: string): CacheEntry | undefined {
    return this.#entry(key, this.#main.callNow('peek', this.#name, key, this.#knownRevision(key)));
  }

  async get(key: string): Promise<CacheEntry | undefined> {
    return this.#entry(key, await this.#main.call('get', this.#name, key, this.#knownRevision(key)));
  }

  lookup(key: string): Promise<CacheEntry | undefined> {
    return this.get(key);
  }

  async read(key: string): Promise<CacheEntry | undefined> {
    return this.#entry(key, await this.#main.call('read', this.#name, key, this.#knownRevision(key)));
  }

  slice(prefix: string, from = '', limit = Number.POSITIVE_INFINITY): CacheEntry[] {
    return [...this.#take(prefix, from, limit)];
  }

  range(prefix: string, from = ''): Iterable<CacheEntry> {
    return this.#take(prefix, from, Number.POSITIVE_INFINITY);
  }

  count(prefix: string, from = ''): number {
    return this.#main.callNow('count', this.#name, prefix, from);
  }

  past(): undefined {
    return undefined;
  }

  async list(prefix: string, options: StoreListOptions = {}): Promise<CachePage> {
    const page = await this.#main.call('list', this.#name, prefix, options);
    return { ...page, entries: page.entries.map(entryOf) };
  }

  async create(key: string, value: Uint8Array, options: StoreWriteOptions = {}): Promise<CacheEntry> {
    return entryOf(await this.#main.call('create', this.#name, key, ownedBytes(value), this.#written(options)));
  }

  async update(key: string, value: Uint8Array, expected: number, options: StoreWriteOptions = {}): Promise<CacheEntry> {
    return entryOf(await this.#main.call('update', this.#name, key, ownedBytes(value), expected, this.#written(options)));
  }

  delete(key: string, expected: number, options: StoreDeleteOptions = {}): Promise<number> {
    return this.#main.call('delete', this.#name, key, expected, this.#written(options));
  }

  holds(key: string, value: Uint8Array): Promise<boolean> {
    return this.#main.call('holds', this.#name, key, ownedBytes(value));
  }

  ping(): Promise<void> {
    return this.#main.call('ping', this.#name);
  }

  async close(): Promise<void> {}

  follow(): never {
    throw new Unavailable('watches are served on the main thread');
  }

  eventsAfter(): undefined {
    return undefined;
  }

  replay(): AsyncIterable<Replayed> {
    return this.follow();
  }

  *#take(prefix: string, from: string, limit: number): Iterable<CacheEntry> {
    for (const [key, revision, problem] of this.#main.callNow('keys', this.#name, prefix, from, limit)) {
      const remembered = this.#remembered?.get(key);
      if (problem !== undefined) yield corruptEntry(key, revision, problem);
      else {
        const entry = remembered?.revision === revision ? remembered : this.peek(key);
        if (entry) yield entry;
      }
    }
  }

  #knownRevision(key: string): number {
    return this.#remembered?.get(key)?.revision ?? 0;
  }

  #entry(key: string, reply: EntryReply): CacheEntry | undefined {
    if (reply === 'known') return this.#remembered?.get(key);
    if (!reply) {
      this.#remembered?.delete(key);
      return undefined;
    }
    const entry = entryOf(reply);
    this.#remembered?.set(key, entry);
    return entry;
  }

  #written({ ttlSeconds, isCancelled }: StoreWriteOptions): WriteMessage {
    return { job: isCancelled && this.#currentJob(), ttlSeconds };
  }
}

function corruptEntry(key: string, revision: number, problem: string): CacheEntry {
  return EvictableEntry.corrupt(new CorruptEntry(revision, revision, new CorruptValue(key, revision, problem)));
}

function entryOf({ key, value, revision, created }: EntryMessage): CacheEntry {
  return { key, value: Buffer.from(value.buffer, value.byteOffset, value.byteLength), revision, created, derived: undefined };
}

/** Whether the request of a job is cancelled. */
type IsJobCancelled = (job: number) => boolean;

/** Serves workers from the caches of this thread. `onWrite` is called before each write of a job. */
export function cacheCalls(
  find: (name: string) => ObjectCache | undefined,
  isCancelled: IsJobCancelled,
  onWrite: (job: number) => void,
): CacheCalls {
  const cacheOf = (name: string): ObjectCache => {
    const cache = find(name);
    if (!cache) throw new Unavailable(`there is no cache of ${name}`, { unwritten: true });
    return cache;
  };
  const writeOptions = ({ job, ttlSeconds }: WriteMessage): StoreWriteOptions => {
    if (job === undefined) return { ttlSeconds };
    onWrite(job);
    return { ttlSeconds, isCancelled: () => isCancelled(job) };
  };
  return {
    state(name) {
      const { current, size, bytes, hasCorruption } = cacheOf(name);
      return { current, size, bytes, hasCorruption };
    },
    fresh: async (name) => (await cacheOf(name).fresh()) ?? true,
    freshAt: async (name, key) => (await cacheOf(name).freshAt(key)) ?? true,
    loaded: async (name) => cacheOf(name).loaded(),
    peek: (name, key, known) => reply(cacheOf(name).peek(key), known),
    get: async (name, key, known) => reply(await cacheOf(name).get(key), known),
    read: async (name, key, known) => reply(await cacheOf(name).read(key), known),
    keys: (name, prefix, from, limit) =>
      cacheOf(name)
        .slice(prefix, from, limit)
        .map(({ key, revision, corrupt }) => (corrupt ? [key, revision, corrupt.problem] : [key, revision])),
    count: (name, prefix, from) => cacheOf(name).count(prefix, from),
    async list(name, prefix, options) {
      const page = await cacheOf(name).list(prefix, options);
      return { ...page, entries: page.entries.map(entryMessage) };
    },
    create: async (name, key, value, options) => entryMessage(await cacheOf(name).create(key, value, writeOptions(options))),
    update: async (name, key, value, expected, options) =>
      entryMessage(await cacheOf(name).update(key, value, expected, writeOptions(options))),
    delete: async (name, key, expected, options) => cacheOf(name).delete(key, expected, writeOptions(options)),
    holds: async (name, key, value) => cacheOf(name).holds(key, value),
    ping: (name) => cacheOf(name).ping(),
  };
}

function reply(entry: Entry | undefined, known: number): EntryReply {
  if (!entry) return undefined;
  return entry.revision === known ? 'known' : entryMessage(entry);
}

export function entryMessage({ key, value, revision, created }: Entry): EntryMessage {
  return { key, value: ownedBytes(value), revision, created };
}
