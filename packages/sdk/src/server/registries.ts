import {
  type AdmissionPlugin,
  type Authorizer,
  admissionChain,
  fieldManagement,
  forgetEncodings,
  type Logger,
  ObjectRegistry,
  presentAs,
  type RegistryServices,
  type Resource,
  type ServerMetrics,
  WatchCache,
} from '@tsukube/apiserver';
import type { DefinedResource } from '../resource/define-resource.ts';
import type { Stores } from './stores.ts';

export interface ResourceRegistryParts {
  readonly resources: readonly DefinedResource[];
  readonly stores: Stores;
  readonly plugins: readonly AdmissionPlugin[];
  readonly authorizer: Authorizer;
  readonly metrics: ServerMetrics;
  readonly logger: Logger;
}

export interface ResourceRegistries {
  of(resource: Resource): ObjectRegistry;
  named(group: string, plural: string): ObjectRegistry | undefined;
  /** Resolves when the objects of every resource are in memory. */
  loaded(): Promise<void>;
  close(): Promise<void>;
}

/** The registries of all resources. Those with an own storage have an empty cache, which is not used. */
export function createResourceRegistries({
  resources,
  stores,
  plugins,
  authorizer,
  metrics,
  logger,
}: ResourceRegistryParts): ResourceRegistries {
  const registries = new Map<Resource, ObjectRegistry>();
  const byName = new Map<string, ObjectRegistry>();
  const services: RegistryServices = {
    admission: admissionChain([...plugins], metrics.admission),
    now: Date.now,
    fieldManagement: fieldManagement(),
    // No garbage collector runs here.
    keepsDependents: true,
    registryNamed: (group, plural) => byName.get(`${plural}.${group}`),
    authorizer,
    store: stores.own,
    logger,
  };
  for (const resource of resources) {
    const { store, feed } = stores.of(resource);
    const isStored = resource.storagePrefix !== '';
    const prefix = `${resource.storagePrefix || `/unstored/${resource.hub.group}/${resource.names.plural}`}/`;
    const measured = metrics.measured(store, resource);
    const cache = new WatchCache(measured, feed, { prefix, present: presentAs(resource), onEvict: forgetEncodings });
    if (isStored) metrics.observe(resource, cache, store);
    const registry = new ObjectRegistry(resource, cache, services);
    registries.set(resource, registry);
    byName.set(`${resource.names.plural}.${resource.hub.group}`, registry);
  }
  const stored = () => [...registries].flatMap(([{ storagePrefix }, { cache }]) => (storagePrefix === '' ? [] : [cache]));
  return {
    of: (resource) => registries.get(resource) as ObjectRegistry,
    named: (group, plural) => byName.get(`${plural}.${group}`),
    loaded: async () => void (await Promise.all(stored().map((cache) => cache.loaded()))),
    close: async () => void (await Promise.all([...registries.values()].map(({ cache }) => cache.close()))),
  };
}

/** Throws TypeError if two resources have a name or a kind in common. */
export function checkNames(resources: readonly DefinedResource[]): void {
  const taken = new Set<string>();
  for (const { names, versions } of resources)
    for (const { group, version } of versions)
      for (const name of [names.plural, `kind ${names.kind}`]) {
        const key = `${name} of ${group}/${version}`;
        if (taken.has(key)) throw new TypeError(`there are two resources with the name ${key}`);
        taken.add(key);
      }
}
