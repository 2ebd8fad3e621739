import {
  type CacheEntry,
  type ConvertByWebhook,
  type Feed,
  forgetEncodings,
  type ObjectCache,
  ObjectRegistry,
  type RegistryServices,
  type Resource,
  type ServiceResolver,
  type ShutdownNotice,
  WatchCache,
} from '@tsukube/apiserver';
import { type CompiledSchema, compileSchema } from '@tsukube/machinery';
import type { Store } from '@tsukube/storage';
import { type VersionConverter, versionOf } from '../conversion/converter.ts';
import { versionedStorage } from '../conversion/versioned-storage.ts';
import { webhookConverter } from '../conversion/webhook-converter.ts';
import { type Definition, isDefinitionConditionTrue } from '../definition/definition.ts';
import { definitionOf, storedSchema } from '../definition/read-definition.ts';
import { customResource } from './custom-resource.ts';

export interface ServingParts {
  readonly openCache: OpenCache;
  readonly services: RegistryServices;
  /** The key prefix of all objects, such as /registry. */
  readonly prefix: string;
  readonly resolveService: ServiceResolver;
  readonly shutdown: ShutdownNotice;
}

/** The objects of one version of a definition. */
export interface VersionedObjects {
  readonly definition: Definition;
  readonly resource: Resource;
  readonly schemaOf: (version: string) => CompiledSchema;
  readonly converter: VersionConverter | undefined;
}

export type OpenCache = (objects: VersionedObjects) => ObjectCache;

/** Serves the objects of one state of a definition. */
export interface Serving {
  /** The newest entry of the definition with this spec. */
  entry: CacheEntry;
  readonly definition: Definition;
  /** Undefined for a version that the definition does not have. */
  resource(version: string): Resource | undefined;
  objects(version: string): ObjectRegistry;
  /** Ends the watches of clients when the definition has changed, or the server stops. */
  readonly shutdown: ShutdownNotice;
  /** Closes after a grace period for requests in flight, then calls back. */
  retire(onClosed: () => void): void;
  /** Closes immediately. */
  close(): void;
}

/** Grace period for requests in flight. */
const graceMs = 60_000;

export function openServing(entry: CacheEntry, parts: ServingParts): Serving {
  const definition = definitionOf(entry);
  const { group, acceptedNames } = definition;
  const storagePrefix = `${parts.prefix}/${group}/${acceptedNames.plural}`;
  const schemaOf = memoized((version: string) =>
    compileSchema(() => storedSchema(serving.entry, version) ?? {}, { preserveUnknownFields: definition.preserveUnknownFields }),
  );
  const resourceOf = memoized((version: string) => {
    const defined = definition.versions.find(({ name }) => name === version);
    const sourceOf = (name: string) => storedSchema(serving.entry, name);
    const isTerminating = () => isDefinitionConditionTrue(definitionOf(serving.entry), 'Terminating');
    return defined && customResource({ definition, defined, storagePrefix, schemaOf, sourceOf, isTerminating, convertByWebhook });
  });
  const registries = new Map<string, ObjectRegistry>();
  let webhook: VersionConverter | undefined;
  const converter = () => {
    webhook ??= converterOf(definition, parts.resolveService);
    return webhook;
  };
  const convertByWebhook: ConvertByWebhook = (objects, apiVersion) =>
    (converter() as VersionConverter).convert(objects, versionOf({ apiVersion }));
  const end = endNotice(parts.shutdown);
  let retiring: NodeJS.Timeout | undefined;
  const serving: Serving = {
    entry,
    definition,
    resource: resourceOf,
    objects(version) {
      let registry = registries.get(version);
      if (!registry) {
        const resource = resourceOf(version) as Resource;
        const cache = parts.openCache({ definition, resource, schemaOf, converter: converter() });
        registry = new ObjectRegistry(resource, cache, parts.services);
        registries.set(version, registry);
      }
      return registry;
    },
    shutdown: end.notice,
    retire(onClosed) {
      end.begin();
      retiring = setTimeout(() => {
        serving.close();
        onClosed();
      }, graceMs).unref();
    },
    close() {
      clearTimeout(retiring);
      end.begin();
      closeAll(registries.values());
      webhook?.close();
    },
  };
  return serving;
}

function converterOf({ group, conversion }: Definition, resolve: ServiceResolver): VersionConverter | undefined {
  return conversion.strategy === 'Webhook' ? webhookConverter(group, conversion, resolve) : undefined;
}

function closeAll(registries: Iterable<ObjectRegistry>): void {
  for (const { cache } of registries) void cache.close();
}

/** Opens watch caches on a store that has the objects in the storage version. */
export function customWatchCaches(store: Store, feed: Feed, onError: (error: unknown, definition: string) => void): OpenCache {
  return ({ definition, resource, schemaOf, converter }) => {
    const storage = versionedStorage({
      definition,
      version: resource.hub.version,
      schemaOf,
      store,
      feed,
      converter,
      onError: (error) => onError(error, definition.name),
    });
    return new WatchCache(storage.store, storage.feed, {
      prefix: `${resource.storagePrefix}/`,
      present: storage.present,
      ...(storage.holds && { holds: storage.holds }),
      onEvict: forgetEncodings,
    });
  };
}

function memoized<T>(make: (key: string) => T): (key: string) => T {
  const made = new Map<string, T>();
  return (key) => {
    if (made.has(key)) return made.get(key) as T;
    const value = make(key);
    made.set(key, value);
    return value;
  };
}

/** A shutdown notice that ends with `outer` or by itself. */
function endNotice(outer: ShutdownNotice): { readonly notice: ShutdownNotice; begin(): void } {
  const listeners = new Set<() => void>();
  let begun = false;
  return {
    notice: {
      onBegin(listener) {
        if (begun) setImmediate(listener);
        listeners.add(listener);
        const unsubscribeOuter = outer.onBegin(listener);
        return () => {
          listeners.delete(listener);
          unsubscribeOuter();
        };
      },
    },
    begin() {
      begun = true;
      for (const listener of [...listeners]) listener();
    },
  };
}
