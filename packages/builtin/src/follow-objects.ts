import { type CacheEntry, type CacheEvent, nameOfKey, type ObjectRegistry } from '@tsukube/apiserver';

/** Is told what there is. Nothing may be done twice, and nothing be missed. */
export interface ObjectFollower {
  put(namespace: string, name: string, entry: CacheEntry): void;
  remove(namespace: string, name: string): void;
}

const retryMs = 1000;

/** Tells a follower of every object and every change, across gaps. Resolves once it knows all; gives what ends it. */
export async function followObjects({ cache, resource }: ObjectRegistry, follower: ObjectFollower): Promise<() => void> {
  let known = new Set<string>();
  let stopped = false;
  let unfollow = (): void => {};

  const put = (entry: CacheEntry): void => {
    const { namespace, name } = nameOfKey(resource, entry.key);
    known.add(entry.key);
    follower.put(namespace, name, entry);
  };
  const remove = (key: string): void => {
    const { namespace, name } = nameOfKey(resource, key);
    known.delete(key);
    follower.remove(namespace, name);
  };
  const onEvents = (events: readonly CacheEvent[]): void => {
    for (const { type, entry } of events) {
      if (type === 'put') put(entry);
      else remove(entry.key);
    }
  };
  /** What is there now; what is there no more goes. */
  const load = (): void => {
    const before = known;
    known = new Set();
    for (const entry of cache.slice(cache.prefix)) {
      before.delete(entry.key);
      put(entry);
    }
    for (const key of before) remove(key);
  };
  const start = async (): Promise<void> => {
    // Checked again after each wait: a gap may empty the cache before the continuation runs.
    for (let loading = cache.loaded(); loading; loading = cache.loaded()) await loading;
    if (stopped) return;
    unfollow = cache.follow({ onEvents, onGap: restart });
    load();
  };
  /** Until the state has been read anew, what was known last goes on to hold. */
  const restart = (): void => {
    unfollow();
    if (!stopped) start().catch(() => setTimeout(restart, retryMs).unref());
  };

  await start();
  return () => {
    stopped = true;
    unfollow();
  };
}
