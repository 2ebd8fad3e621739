import type { Store } from '@tsukube/storage';
import type { Resource } from '../resource.ts';
import type { WatchCache } from '../watchcache/watch-cache.ts';
import type { Registry } from './registry.ts';
import { isFilled } from './watch-cache-metrics.ts';

/** The store is asked for its counts this often; kube-apiserver does so every minute as well. */
const checkIntervalMs = 60_000;
const unknownCount = -1;

export interface CountedResource {
  readonly resource: Resource;
  readonly cache: WatchCache;
  readonly store: Store;
}

/** How many objects there are: from memory where the cache is filled, from the store where it is not. */
export function objectCounts(
  registry: Registry,
  now: () => number = () => performance.now(),
): (counted: CountedResource) => void {
  const objects = registry.gauge({
    name: 'apiserver_resource_objects',
    help: '[ALPHA] Number of stored objects at the time of last check split by kind. In case of a fetching error, the value will be -1.',
    labels: ['group', 'resource'],
  });
  const objectsByName = registry.gauge({
    name: 'apiserver_storage_objects',
    help: '[STABLE] (Deprecated since 1.34.0) [DEPRECATED, consider using apiserver_resource_objects instead] Number of stored objects at the time of last check split by kind. In case of a fetching error, the value will be -1.',
    labels: ['resource'],
  });
  return function count({ resource: { hub, names, storagePrefix }, cache, store }) {
    const inStore = countInStore(store, `${storagePrefix}/`, now);
    registry.beforeScrape(async () => {
      const found = isFilled(cache) ? cache.size : await inStore();
      objects.with({ group: hub.group, resource: names.plural }).set(found);
      objectsByName.with({ resource: hub.group === '' ? names.plural : `${names.plural}.${hub.group}` }).set(found);
    });
  };
}

function countInStore(store: Store, prefix: string, now: () => number): () => Promise<number> {
  let last: Promise<number> | undefined;
  let checked = 0;
  return () => {
    if (last !== undefined && now() - checked < checkIntervalMs) return last;
    checked = now();
    last = store.list(prefix, { limit: 1 }).then(
      ({ count }) => count,
      () => unknownCount,
    );
    return last;
  };
}
