import type { Store } from '@tsukube/storage';
import type { Resource } from '../registry/resource.ts';
import type { WatchCache } from '../watchcache/watch-cache.ts';
import type { Registry } from './prometheus/registry.ts';

/** Truncated like in kube-apiserver. */
const shownRevisions = 10 ** 15;

/** Returns a function that observes a resource's cache. */
export function watchCacheMetrics(registry: Registry): (resource: Resource, cache: WatchCache) => void {
  const labels = ['group', 'resource'] as const;
  const received = registry.counter({
    name: 'apiserver_watch_cache_events_received_total',
    help: '[ALPHA] Counter of events received in watch cache broken by resource type.',
    labels,
  });
  const dispatched = registry.counter({
    name: 'apiserver_watch_cache_events_dispatched_total',
    help: '[ALPHA] Counter of events dispatched in watch cache broken by resource type.',
    labels,
  });
  const revision = registry.gauge({
    name: 'apiserver_watch_cache_resource_version',
    help: '[ALPHA] Current resource version of watch cache broken by resource type. This is truncated to the 15 least significant digits.',
    labels,
  });
  return function observe({ hub, names }, cache) {
    const values = { group: hub.group, resource: names.plural };
    const counters = [received.with(values), dispatched.with(values)];
    cache.follow({
      onEvents: ({ length }) => {
        for (const counter of counters) counter.increase(length);
      },
      onGap: () => {},
    });
    registry.beforeScrape(() => {
      if (isFilled(cache)) revision.with(values).set(cache.current % shownRevisions);
    });
  };
}

/** A cache is empty until its first read. */
function isFilled(cache: WatchCache): boolean {
  return cache.eventsAfter(cache.current) !== undefined;
}

/** How often objects in the store are counted, as in kube-apiserver. */
const checkIntervalMs = 60_000;
const unknownCount = -1;

interface CountedResource {
  readonly resource: Resource;
  readonly cache: WatchCache;
  readonly store: Store;
}

/** Object counts, from the watch cache if it is filled, otherwise from the store. */
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
