import { CorruptValue } from '@tsukube/storage';
import type { CacheEntry } from '../watchcache/entry.ts';
import type { ObjectCache } from '../watchcache/object-cache.ts';

const firstRetryMs = 100;
const maxRetryMs = 5000;

/**
 * Calls back for every entry of the cache and for every change. Lists again after a gap, and retries with backoff while the
 * store is unavailable. Ends with the returned function, or when the cache is closed.
 */
export function follow(cache: ObjectCache, listener: (entry: CacheEntry) => void): () => void {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let unfollow = (): void => {};

  /** An entry that cannot be read is left alone; the store reports it. */
  const tell = (entry: CacheEntry): void => {
    try {
      listener(entry);
    } catch (error) {
      if (!(error instanceof CorruptValue)) throw error;
    }
  };
  const start = async (): Promise<void> => {
    await cache.fresh();
    // A gap may empty the cache before this continuation runs; followers of an empty cache hear nothing.
    for (let loading = cache.loaded(); loading; loading = cache.loaded()) await loading;
    if (stopped) return;
    unfollow = cache.follow({
      onEvents: (events) => {
        for (const event of events) tell(event.entry);
      },
      onGap: () => {
        unfollow();
        restart(firstRetryMs);
      },
    });
    for (const entry of cache.slice(cache.prefix)) tell(entry);
  };
  const restart = (retryMs: number): void => {
    if (stopped || cache.isClosed) return;
    start().catch(() => {
      timer = setTimeout(restart, retryMs, Math.min(retryMs * 2, maxRetryMs)).unref();
    });
  };

  restart(firstRetryMs);
  return () => {
    stopped = true;
    clearTimeout(timer);
    unfollow();
  };
}
