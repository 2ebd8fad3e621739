import {
  type Admission,
  type AdmissionObserver,
  type Authorizer,
  admissionChain,
  type Feed,
  fieldManagement,
  forgetEncodings,
  type ObjectCache,
  ObjectRegistry,
  presentAs,
  type RegistryServices,
  type Resource,
  type ServerMetrics,
  WatchCache,
} from '@tsukube/apiserver';
import { type BuiltinOptions, builtinAdmission, builtinResources, type TolerationSeconds } from '@tsukube/builtin';
import type { Store } from '@tsukube/storage';
import { isServed, runsPlugin, type ServeOptions } from '../config/index.ts';

/**
 * Built-in and additional resources, with disabled versions removed and the storage prefix applied. Resources without versions
 * are stored but not served.
 */
export function allResources(
  { etcdPrefix, runtimeConfig }: ServeOptions,
  builtin: BuiltinOptions,
  more: readonly Resource[],
): readonly Resource[] {
  return [...builtinResources(builtin), ...more].map((resource) => {
    const versions = resource.versions.filter((version) => isServed(runtimeConfig, version, true));
    // Resources that are not stored have no prefix.
    const storagePrefix = resource.storagePrefix && etcdPrefix + resource.storagePrefix.slice('/registry'.length);
    return { ...resource, versions, storedVersions: resource.versions, storagePrefix };
  });
}

/** Dependencies of the registries of a thread. */
export interface RegistryParts {
  readonly openCache: (resource: Resource) => ObjectCache;
  readonly store: NonNullable<RegistryServices['store']>;
  readonly authorizer: Authorizer;
  readonly admissionObserver: AdmissionObserver;
}

export interface Registries {
  readonly registries: ReadonlyMap<Resource, ObjectRegistry>;
  readonly services: RegistryServices;
  readonly admissionPlugins: readonly string[];
}

export function createRegistries(resources: readonly Resource[], options: ServeOptions, parts: RegistryParts): Registries {
  const registries = new Map<Resource, ObjectRegistry>();
  let admission: Admission = admissionChain([]);
  const services: RegistryServices = {
    get admission() {
      return admission;
    },
    now: Date.now,
    fieldManagement: fieldManagement(),
    keepsDependents: !options.enableGarbageCollector,
    registryNamed: (group, plural) =>
      [...registries.values()].find(({ resource: { names, hub } }) => names.plural === plural && hub.group === group),
    authorizer: parts.authorizer,
    store: parts.store,
  };
  for (const resource of resources) registries.set(resource, new ObjectRegistry(resource, parts.openCache(resource), services));
  const cacheOf = (group: string, plural: string) => services.registryNamed?.(group, plural)?.cache;
  const plugins = builtinAdmission(cacheOf, parts.authorizer, tolerationSeconds(options));
  admission = admissionChain(
    plugins.filter(({ name }) => runsPlugin(options, name)),
    parts.admissionObserver,
  );
  return { registries, services, admissionPlugins: plugins.map(({ name }) => name) };
}

/** Watch caches with metrics. */
export function watchCaches(store: Store, feed: Feed, metrics: ServerMetrics): (resource: Resource) => WatchCache {
  return (resource) => {
    const cache = new WatchCache(metrics.measured(store, resource), feed, {
      prefix: cachePrefix(resource),
      present: presentAs(resource),
      onEvict: forgetEncodings,
    });
    if (resource.storagePrefix !== '') metrics.observe(resource, cache, store);
    return cache;
  };
}

export function cachePrefix({ storagePrefix, names }: Resource): string {
  return `${storagePrefix || `/unstored/${names.plural}`}/`;
}

/** Finds a registry by group and plural name. */
export function objectsNamed(
  resources: readonly Resource[],
  registryOf: (resource: Resource) => ObjectRegistry,
): (group: string, name: string) => ObjectRegistry | undefined {
  return (group, name) => {
    const found = resources.find(({ names, hub }) => names.plural === name && hub.group === group);
    return found && registryOf(found);
  };
}

export function builtInNames(resources: readonly Resource[]): (group: string, version: string, name: string) => boolean {
  const known = new Set(
    resources.flatMap(({ names, versions }) => versions.map(({ group, version }) => `${group}/${version}/${names.plural}`)),
  );
  return (group, version, name) => known.has(`${group}/${version}/${name}`);
}

function tolerationSeconds(options: ServeOptions): TolerationSeconds {
  return {
    notReady: options.defaultNotReadyTolerationSeconds,
    unreachable: options.defaultUnreachableTolerationSeconds,
  };
}
