import { type CacheEvent, nameOfKey, type ObjectRegistry } from '@tsukube/apiserver';
import type { JsonObject } from '@tsukube/machinery';
import type { RbacIndex, RbacKind } from './rbac-index.ts';

/** Keeps the index to what the store holds. Resolves once it is complete. */
export async function followRbac(index: RbacIndex, kind: RbacKind, registry: ObjectRegistry): Promise<() => void> {
  const { cache, resource } = registry;
  let known = new Set<string>();
  let stopped = false;

  // Nothing in a role or binding is a number, so the quickest way of reading is exact.
  const put = (key: string, value: Buffer): void => {
    const { namespace, name } = nameOfKey(resource, key);
    known.add(key);
    index.put(kind, namespace, name, () => JSON.parse(value.toString()) as JsonObject);
  };
  const remove = (key: string): void => {
    const { namespace, name } = nameOfKey(resource, key);
    known.delete(key);
    index.remove(kind, namespace, name);
  };
  const onEvents = (events: readonly CacheEvent[]): void => {
    for (const { type, entry } of events) {
      if (type === 'put') put(entry.key, entry.value);
      else remove(entry.key);
    }
  };
  /** What is there now; what is there no more goes. */
  const load = (): void => {
    const before = known;
    known = new Set();
    for (const { key, value } of cache.slice(cache.prefix)) {
      before.delete(key);
      put(key, value);
    }
    for (const key of before) remove(key);
  };
  const follow = async (): Promise<void> => {
    await cache.loaded();
    if (stopped) return;
    const unfollow = cache.follow({ onEvents, onGap: () => restart(unfollow) });
    stop = unfollow;
    load();
  };
  /** Until the state has been read anew, what was known last goes on to hold. */
  const restart = (unfollow: () => void): void => {
    unfollow();
    if (!stopped) follow().catch(() => setTimeout(() => restart(() => {}), retryMs).unref());
  };
  let stop = (): void => {};

  await follow();
  return () => {
    stopped = true;
    stop();
  };
}

const retryMs = 1000;
