import {
  type Admission,
  type AdmissionObserver,
  type AdmissionPlugin,
  type Authorizer,
  admissionChain,
  type Feed,
  fieldManagement,
  forgetEncodings,
  isolated,
  type ObjectCache,
  ObjectRegistry,
  presentAs,
  type RegistryOfKind,
  type RegistryServices,
  type Resource,
  type ServerMetrics,
  serviceResolver,
  WatchCache,
} from '@tsukube/apiserver';
import {
  admissionPlugins,
  type BuiltinOptions,
  builtinResources,
  type PluginContext,
  type PluginDefinition,
} from '@tsukube/builtin';
import type { Store } from '@tsukube/storage';
import { initFailure, type PluginConfigurations } from '../admission/configuration-file.ts';
import { reviewWebhook } from '../admission/review-webhook.ts';
import { webhookCredentials } from '../admission/webhook-credentials.ts';
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
  /** Plugins of library users, which run behind the built-in ones. */
  readonly plugins?: readonly AdmissionPlugin[];
  /** The registry of the storage version of a custom resource, for plugins. */
  readonly customObjects: (group: string, plural: string) => ObjectRegistry | undefined;
  readonly pluginConfigurations: PluginConfigurations;
  /** Finds custom resources; called after the start. */
  readonly customOfKind: RegistryOfKind;
}

export interface Registries {
  readonly registries: ReadonlyMap<Resource, ObjectRegistry>;
  readonly services: RegistryServices;
}

export function createRegistries(resources: readonly Resource[], options: ServeOptions, parts: RegistryParts): Registries {
  const registries = new Map<Resource, ObjectRegistry>();
  const byName = new Map<string, ObjectRegistry>();
  let admission: Admission = admissionChain([]);
  const services: RegistryServices = {
    get admission() {
      return admission;
    },
    now: Date.now,
    fieldManagement: fieldManagement(),
    keepsDependents: !options.enableGarbageCollector,
    registryNamed: (group, plural) => byName.get(`${plural}.${group}`),
    authorizer: parts.authorizer,
    store: parts.store,
  };
  for (const resource of resources) {
    const registry = new ObjectRegistry(resource, parts.openCache(resource), services);
    const name = `${resource.names.plural}.${resource.hub.group}`;
    registries.set(resource, registry);
    if (!byName.has(name)) byName.set(name, registry);
  }
  const context = pluginContext(registries, services, options, parts);
  const enabled = admissionPlugins.filter(({ name }) => runsPlugin(options, name));
  const plugins = enabled.map((definition) => createPlugin(definition, context));
  admission = admissionChain([...plugins, ...(parts.plugins ?? []).map(isolated)], parts.admissionObserver);
  return { registries, services };
}

function createPlugin({ name, create }: PluginDefinition, context: PluginContext): AdmissionPlugin {
  try {
    return create(context);
  } catch (error) {
    throw initFailure(name, error);
  }
}

/** Finds registries of built-in kinds. */
function byKind(registries: ReadonlyMap<Resource, ObjectRegistry>): RegistryOfKind {
  let known: ReadonlyMap<string, ObjectRegistry> | undefined;
  return ({ group, version, kind }) => {
    known ??= new Map(
      [...registries].flatMap(([{ names, versions }, registry]) =>
        versions.map((served) => [`${served.group}/${served.version}/${names.kind}`, registry]),
      ),
    );
    return known.get(`${group}/${version}/${kind}`);
  };
}

function pluginContext(
  registries: ReadonlyMap<Resource, ObjectRegistry>,
  services: RegistryServices,
  options: ServeOptions,
  parts: RegistryParts,
): PluginContext {
  const builtInOfKind = byKind(registries);
  const resources = [...registries.keys()];
  const registryOf: PluginContext['registryOf'] = (group, plural) =>
    services.registryNamed?.(group, plural) ?? parts.customObjects(group, plural);
  const cacheOf: PluginContext['cacheOf'] = (group, plural) => registryOf(group, plural)?.cache;
  return {
    registryOf,
    registryOfKind: (kind) => builtInOfKind(kind) ?? parts.customOfKind(kind),
    cacheOf,
    authorizer: parts.authorizer,
    now: services.now,
    configurationOf: (plugin) => parts.pluginConfigurations[plugin],
    metrics: parts.admissionObserver,
    resolveService: serviceResolver(cacheOf),
    resources: () => resources,
    openWebhook: reviewWebhook,
    webhookCredentials: (plugin) => webhookCredentials(parts.pluginConfigurations[plugin]),
    tolerationSeconds: {
      notReady: options.defaultNotReadyTolerationSeconds,
      unreachable: options.defaultUnreachableTolerationSeconds,
    },
  };
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
