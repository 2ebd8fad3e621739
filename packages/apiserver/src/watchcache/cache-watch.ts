import type { Batch } from '@tsukube/storage';
import type { CacheEvent } from './entry.ts';
import type { ObjectCache } from './object-cache.ts';

/** A store's watch, served from the cache's history, or from the store where that does not reach. */
export async function* watchCache(
  cache: ObjectCache,
  prefix: string,
  from: number,
  signal: AbortSignal,
): AsyncGenerator<Batch, void, undefined> {
  let position = from - 1;
  let announced = false;
  while (!signal.aborted && !cache.isClosed) {
    const loading = cache.loaded();
    if (loading) await loading;
    const held = cache.eventsAfter(position);
    if (!held) {
      for await (const { events, revision } of cache.replay(prefix, position + 1, signal)) {
        yield { changes: events, revision };
        position = Math.max(position, revision);
        if (cache.eventsAfter(position)) break;
      }
    } else if (held.length > 0) {
      position = (held.at(-1) as CacheEvent).entry.revision;
      yield { changes: held.filter((event) => event.entry.key.startsWith(prefix)), revision: position };
    } else {
      if (!announced) yield { changes: [], revision: Math.max(position, cache.current) };
      else await nextEvent(cache, signal);
      announced = true;
    }
  }
}

function nextEvent(cache: ObjectCache, signal: AbortSignal): Promise<void> {
  if (signal.aborted || cache.isClosed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      unfollow();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const unfollow = cache.follow({ onEvents: done, onGap: done });
    signal.addEventListener('abort', done, { once: true });
  });
}
