import { CorruptValue } from '@tsukube/storage';
import { nameOfKey } from '../registry/object-meta.ts';
import type { ObjectRegistry } from '../registry/object-registry.ts';
import type { CacheEntry, CacheEvent } from '../watchcache/entry.ts';
import type { ObjectCache } from '../watchcache/object-cache.ts';

export interface CacheListener {
  /** All entries, at the start and after every gap. If it throws or rejects, the cache is listed again. */
  onList(entries: readonly CacheEntry[]): void | Promise<void>;
  /** Changes after the list, in order; also while `onList` awaits. */
  onEvents(events: readonly CacheEvent[]): void;
  /** Events were lost. The next list replaces all state. */
  onGap?(): void;
}

const firstRetryMs = 100;
const maxRetryMs = 5000;

type FollowedCache = Pick<ObjectCache, 'fresh' | 'loaded' | 'follow' | 'slice' | 'prefix' | 'isClosed'>;

/**
 * Lists a cache and follows its changes: lists again after a gap, and retries a failed list with backoff. Ends with `stop`, or
 * when the cache is closed.
 */
export class CacheFollower {
  readonly #cache: FollowedCache;
  readonly #listener: CacheListener;
  #listed: Promise<void> = Promise.resolve();
  #unfollow: () => void = () => {};
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(cache: FollowedCache, listener: CacheListener) {
    this.#cache = cache;
    this.#listener = listener;
    this.#start(firstRetryMs);
  }

  /** Settles with the newest list. Rejects if that failed; a retry is then scheduled. */
  listed(): Promise<void> {
    return this.#listed;
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#unfollow();
  }

  #start(retryMs: number): void {
    const listing = this.#list();
    this.#listed = listing;
    listing.catch(() => {
      if (this.#isStopped || this.#cache.isClosed || this.#listed !== listing) return;
      this.#timer = setTimeout(() => this.#start(Math.min(retryMs * 2, maxRetryMs)), retryMs).unref();
    });
  }

  async #list(): Promise<void> {
    this.#unfollow();
    await this.#cache.fresh();
    // Inline, right before `follow`: a gap may empty the cache before a continuation runs, and an empty cache emits no events.
    for (let loading = this.#cache.loaded(); loading; loading = this.#cache.loaded()) await loading;
    if (this.#isStopped) return;
    this.#unfollow = this.#cache.follow({
      onEvents: (events) => this.#listener.onEvents(events),
      onGap: () => this.#onGap(),
    });
    await this.#listener.onList(this.#cache.slice(this.#cache.prefix));
  }

  #onGap(): void {
    this.#unfollow();
    if (this.#isStopped || this.#cache.isClosed) return;
    this.#start(firstRetryMs);
    this.#listener.onGap?.();
  }
}

/** Calls back for every entry and every change; for a deletion with the last state. Returns a function that ends it. */
export function follow(cache: FollowedCache, listener: (entry: CacheEntry) => void): () => void {
  /** A corrupt entry is skipped; the store reports it. */
  const tell = (entry: CacheEntry): void => {
    try {
      listener(entry);
    } catch (error) {
      if (!(error instanceof CorruptValue)) throw error;
    }
  };
  const follower = new CacheFollower(cache, {
    onList: (entries) => {
      for (const entry of entries) tell(entry);
    },
    onEvents: (events) => {
      for (const { entry } of events) tell(entry);
    },
  });
  return () => follower.stop();
}

/** Receives the state of a collection and its changes. An object that vanished during a gap is removed. */
export interface ObjectListener {
  put(namespace: string, name: string, entry: CacheEntry): void;
  remove(namespace: string, name: string): void;
}

/** Resolves with a function that ends it once all objects have been put. Rejects if the first list fails. */
export async function followObjects({ cache, resource }: ObjectRegistry, listener: ObjectListener): Promise<() => void> {
  let known = new Set<string>();
  const put = (entry: CacheEntry): void => {
    const { namespace, name } = nameOfKey(resource, entry.key);
    known.add(entry.key);
    listener.put(namespace, name, entry);
  };
  const remove = (key: string): void => {
    const { namespace, name } = nameOfKey(resource, key);
    known.delete(key);
    listener.remove(namespace, name);
  };
  const follower = new CacheFollower(cache, {
    onList(entries) {
      const before = known;
      known = new Set();
      for (const entry of entries) {
        before.delete(entry.key);
        put(entry);
      }
      for (const key of before) remove(key);
    },
    onEvents(events) {
      for (const { type, entry } of events) {
        if (type === 'put') put(entry);
        else remove(entry.key);
      }
    },
  });
  try {
    await follower.listed();
  } catch (error) {
    follower.stop();
    throw error;
  }
  return () => follower.stop();
}
