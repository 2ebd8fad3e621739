import type { Resource } from '../resource.ts';
import type { WatchCache } from '../watchcache/watch-cache.ts';
import type { Registry } from './registry.ts';

/** Truncated as kube-apiserver does, so that the number stays exact. */
const shownRevisions = 10 ** 15;

/** Gives a function that takes note of the cache of a resource. */
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

/** A cache nobody has read from yet holds nothing. */
export function isFilled(cache: WatchCache): boolean {
  return cache.eventsAfter(cache.current) !== undefined;
}
