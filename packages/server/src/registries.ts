import {
  type Admission,
  type Authorizer,
  admissionChain,
  type Feed,
  fieldManagement,
  forgetEncodings,
  ObjectRegistry,
  presentAs,
  type RegistryServices,
  type Resource,
  type ServerMetrics,
  WatchCache,
} from '@tsukube/apiserver';
import { type BuiltinOptions, builtinAdmission, builtinResources, type TolerationSeconds } from '@tsukube/builtin';
import type { Store } from '@tsukube/storage';
import { isServed, runsPlugin, type ServeOptions } from './config/index.ts';

/**
 * The built-in kinds, and those of a library's user, without the versions that are switched off, below the prefix that was
 * asked for. Those with no version left are stored and not served.
 */
export function allResources(
  { etcdPrefix, runtimeConfig }: ServeOptions,
  builtin: BuiltinOptions,
  more: readonly Resource[],
): readonly Resource[] {
  return [...builtinResources(builtin), ...more].map((resource) => {
    const versions = resource.versions.filter((version) => isServed(runtimeConfig, version, true));
    // What is not stored has no place below the prefix either.
    const storagePrefix = resource.storagePrefix && etcdPrefix + resource.storagePrefix.slice('/registry'.length);
    return { ...resource, versions, storedVersions: resource.versions, storagePrefix };
  });
}

export function createRegistries(
  resources: readonly Resource[],
  options: ServeOptions,
  store: Store,
  feed: Feed,
  metrics: ServerMetrics,
  authorizer: Authorizer,
): {
  readonly registries: Map<Resource, ObjectRegistry>;
  readonly services: RegistryServices;
  readonly admissionPlugins: readonly string[];
} {
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
    store,
  };
  for (const resource of resources) {
    const cache = new WatchCache(metrics.measured(store, resource), feed, {
      prefix: `${resource.storagePrefix || `/unstored/${resource.names.plural}`}/`,
      present: presentAs(resource),
      onRelease: forgetEncodings,
    });
    if (resource.storagePrefix !== '') metrics.observe(resource, cache, store);
    registries.set(resource, new ObjectRegistry(resource, cache, services));
  }
  const cacheOf = (group: string, plural: string) => services.registryNamed?.(group, plural)?.cache;
  const plugins = builtinAdmission(cacheOf, authorizer, tolerationSeconds(options));
  admission = admissionChain(
    plugins.filter(({ name }) => runsPlugin(options, name)),
    metrics.admission,
  );
  return { registries, services, admissionPlugins: plugins.map(({ name }) => name) };
}

function tolerationSeconds(options: ServeOptions): TolerationSeconds {
  return {
    notReady: options.defaultNotReadyTolerationSeconds,
    unreachable: options.defaultUnreachableTolerationSeconds,
  };
}
