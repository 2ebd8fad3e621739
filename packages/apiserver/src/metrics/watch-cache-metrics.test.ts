import { openMemory } from '@tsukube/storage/memory';
import { expect, it } from 'vitest';
import type { Resource } from '../registry/resource.ts';
import { openFeed } from '../watchcache/feed.ts';
import { WatchCache } from '../watchcache/watch-cache.ts';
import { Registry } from './prometheus/registry.ts';
import { objectCounts } from './watch-cache-metrics.ts';

const leases = { hub: { group: 'g.io' }, names: { plural: 'leases' }, storagePrefix: '/registry/leases' } as Resource;

async function open(now: () => number) {
  const store = openMemory();
  const feed = await openFeed(store, '/', () => {});
  const cache = new WatchCache(store, feed, { prefix: '/registry/leases/' });
  const registry = new Registry();
  objectCounts(registry, now)({ resource: leases, cache, store });
  let created = 0;
  const create = () => store.create(`/registry/leases/${created++}`, Buffer.from('{}'));
  const count = async () => {
    const [, value] = /^apiserver_resource_objects\{group="g.io",resource="leases"\} (\S+)$/m.exec(await registry.scrape()) ?? [];
    return Number(value);
  };
  return { store, cache, registry, create, count };
}

it('counts in the store once a minute while the cache is empty', async () => {
  let now = 0;
  const { create, count } = await open(() => now);
  await create();
  expect(await count()).toBe(1);
  await create();
  now = 59_999;
  expect(await count()).toBe(1);
  now = 60_000;
  expect(await count()).toBe(2);
});

it('counts in the cache once it is filled', async () => {
  const { cache, create, count, registry } = await open(() => 0);
  await create();
  await cache.loaded();
  await create();
  expect(await count()).toBe(2);
  expect(await registry.scrape()).toContain('apiserver_storage_objects{resource="leases.g.io"} 2\n');
});

it('reports -1 when the store fails', async () => {
  const { store, count } = await open(() => 0);
  await store.close();
  expect(await count()).toBe(-1);
});
