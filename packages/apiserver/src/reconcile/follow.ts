import type { CacheEntry } from '../watchcache/entry.ts';
import type { WatchCache } from '../watchcache/watch-cache.ts';

/** Calls back for every entry that is there and for every one that changes or goes. Starts over after a gap. */
export function follow(cache: WatchCache, listener: (entry: CacheEntry) => void): () => void {
  let stopped = false;
  let unfollow: (() => void) | undefined;
  const start = async (): Promise<void> => {
    await cache.fresh();
    if (stopped) return;
    unfollow = cache.follow({
      onEvents: (events) => {
        for (const event of events) listener(event.entry);
      },
      onGap: () => {
        unfollow?.();
        if (!stopped) void start();
      },
    });
    for (const entry of cache.slice(cache.prefix)) listener(entry);
  };
  void start().catch(() => setTimeout(() => !stopped && void start(), 1000).unref());
  return () => {
    stopped = true;
    unfollow?.();
  };
}
