import type { JsonObject } from '@tsukube/machinery';
import type { Store } from '@tsukube/storage';
import { openMemory } from '@tsukube/storage/memory';
import { openFeed } from '../watchcache/feed.ts';
import { WatchCache } from '../watchcache/watch-cache.ts';
import { admissionChain } from './admission.ts';
import { ObjectRegistry, type RegistryServices } from './object-registry.ts';
import type { Strategy } from './resource.ts';
import { sampleResource } from './sample-resources.ts';
import { presentAs } from './storage-decoding.ts';
import { decodeObject } from './stored-form.ts';
import { asServer } from './write-context.ts';

interface Options {
  readonly strategy?: Strategy;
  readonly services?: Partial<RegistryServices>;
  readonly store?: Store;
}

/** A registry of ConfigMaps on a memory store, for tests. */
export async function sampleRegistry({ strategy = {}, services, store = openMemory() }: Options = {}) {
  const resource = sampleResource(
    { kind: 'ConfigMap', type: 'io.k8s.api.core.v1.ConfigMap' },
    { storagePrefix: '/registry/maps', strategy },
  );
  const feed = await openFeed(store, '', () => {});
  const cache = new WatchCache(store, feed, { prefix: '/registry/maps/', present: presentAs(resource) });
  const registry = new ObjectRegistry(resource, cache, { admission: admissionChain([]), now: () => 0, ...services });
  const context = asServer(registry, 'default');
  const create = async (metadata: JsonObject, dryRun = false): Promise<JsonObject> => {
    const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata };
    const { entry } = await registry.create(object, { ...context, dryRun });
    return decodeObject(entry.value).metadata;
  };
  return { registry, context, create, store };
}
