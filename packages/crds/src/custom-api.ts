import type {
  Delegate,
  Feed,
  Logger,
  ObjectRegistry,
  RegistryServices,
  Resource,
  ServiceResolver,
  ShutdownNotice,
} from '@tsukube/apiserver';
import { BoundedCache, type GroupVersion, type GroupVersionKind } from '@tsukube/machinery';
import type { Store } from '@tsukube/storage';
import { type Definition, isDefinitionConditionTrue } from './definition/definition.ts';
import {
  type DefinitionChange,
  type Definitions,
  definitionsIn,
  lookedUpDefinitions,
  openDefinitions,
} from './definition/definitions.ts';
import { definitionOf } from './definition/read-definition.ts';
import { type Lifecycle, startLifecycle } from './lifecycle/lifecycle.ts';
import { type CustomResources, openCustomResources } from './serving/custom-resources.ts';
import { type CustomDelegateOptions, customResourceDelegate, lateDefinitionDelegate } from './serving/delegate.ts';
import { customWatchCaches, type ServingParts } from './serving/serving.ts';

export interface CustomApiParts {
  /** The registry of definitions. */
  readonly definitions: ObjectRegistry;
  readonly store: Store;
  readonly feed: Feed;
  readonly services: RegistryServices;
  readonly prefix: string;
  readonly shutdown: ShutdownNotice;
  /** Resolves the Services of conversion webhooks. */
  readonly resolveService: ServiceResolver;
  readonly logger: Logger;
}

/** The API of custom resources: lifecycle of definitions and serving of their objects. */
export interface CustomApi {
  /** Resolves when requests can be served. */
  load(): Promise<void>;
  /** Whether `start` was called. The methods below parse definitions and are expensive before. */
  readonly isStarted: boolean;
  /** Starts the lifecycle controller. */
  start(): void;
  /** Resolves when every definition has been parsed, a slice per event loop turn. */
  whenRead(): Promise<void>;
  delegate(options: CustomDelegateOptions): Delegate;
  /** The last delegate, for requests that `delegate` and all others did not claim. */
  lateDelegate(delegate: Delegate): Delegate;
  /** The served resources, for discovery. */
  resources(): Iterable<Resource>;
  /** The storage version of every definition, for controllers that handle all kinds. */
  stored(): Iterable<Resource>;
  registryOf(resource: Resource): ObjectRegistry | undefined;
  /** The registry of a version of a definition. */
  objects(group: string, plural: string, version: string): ObjectRegistry | undefined;
  /** The registry of the storage version of an established definition. */
  storedObjects(group: string, plural: string): ObjectRegistry | undefined;
  /** The registry of a served version of a definition, by kind. */
  objectsOfKind(kind: GroupVersionKind): ObjectRegistry | undefined;
  /** The versions marked as served, established or not. */
  groupVersions(): readonly GroupVersion[];
  isDefined(version: GroupVersion): boolean;
  /** Calls back with the affected versions when a definition changes; undefined if any may be affected. */
  onChange(listener: (touched: readonly GroupVersion[] | undefined) => void): () => void;
  close(): void;
}

export function openCustomApi(parts: CustomApiParts): CustomApi {
  const definitions = openDefinitions(parts.definitions);
  const onError = (error: unknown, definition: string) =>
    parts.logger.warn('custom resources could not be converted', { definition, error: String(error) });
  const resources = openCustomResources(definitions, {
    ...parts,
    openCache: customWatchCaches(parts.store, parts.feed, onError),
  });
  let lifecycle: Lifecycle | undefined;
  let resolveRead: () => void = () => {};
  const read = new Promise<void>((resolve) => {
    resolveRead = resolve;
  });
  return {
    load: () => definitions.load(),
    get isStarted() {
      return lifecycle !== undefined;
    },
    whenRead: () => read,
    start() {
      lifecycle = startLifecycle({ definitions, resources, registry: parts.definitions, logger: parts.logger });
      void lifecycle.started.then(resolveRead);
    },
    delegate: (options) => customResourceDelegate(definitions, resources, options),
    lateDelegate: (delegate) => lateDefinitionDelegate(definitions, delegate),
    resources: () => resources.resources(),
    stored: () => resources.stored(),
    registryOf: (resource) => resources.registryOf(resource),
    objects: (group, plural, version) => objectsNamed(definitions, resources, group, plural, version),
    storedObjects: (group, plural) => storedObjects(definitions, resources, group, plural),
    objectsOfKind: kindLookup(definitions, resources),
    groupVersions: () => definitionsIn(definitions).flatMap(servedVersions),
    isDefined: ({ group, version }) =>
      definitionsIn(definitions).some((each) => each.group === group && servesVersion(each, version)),
    onChange: (listener) => definitions.onChange((change) => listener(change && touchedBy(change))),
    close() {
      definitions.close();
      lifecycle?.stop();
      resources.close();
    },
  };
}

/** The API of custom resources in a worker thread: definitions are looked up for every request. */
export interface LookedUpApi {
  delegate(options: CustomDelegateOptions): Delegate;
  /** One version of a definition. */
  resource(group: string, plural: string, version: string): Resource | undefined;
  /** The registry of the storage version of an established definition. */
  storedObjects(group: string, plural: string): ObjectRegistry | undefined;
  objectsOfKind: CustomApi['objectsOfKind'];
}

export function lookUpCustomApi(definitions: ObjectRegistry, parts: ServingParts): LookedUpApi {
  const found = lookedUpDefinitions(definitions);
  const resources = openCustomResources(found, parts);
  return {
    delegate: (options) => customResourceDelegate(found, resources, options),
    resource(group, plural, version) {
      const entry = found.find(group, plural);
      return entry && resources.servingOf(entry)?.resource(version);
    },
    storedObjects: (group, plural) => storedObjects(found, resources, group, plural),
    objectsOfKind: kindLookup(found, resources),
  };
}

function objectsNamed(
  definitions: Definitions,
  resources: CustomResources,
  group: string,
  plural: string,
  version: string,
): ObjectRegistry | undefined {
  const entry = definitions.find(group, plural);
  const serving = entry && resources.servingOf(entry);
  return serving?.resource(version) && serving.objects(version);
}

/** Finds objects by kind. The plural name of a kind is searched once and then remembered. */
function kindLookup(definitions: Definitions, resources: CustomResources): CustomApi['objectsOfKind'] {
  const plurals = new BoundedCache<string, string>({ entries: 1000 });
  return ({ group, version, kind }) => {
    const served = (plural: string | undefined) => {
      const objects = plural === undefined ? undefined : objectsNamed(definitions, resources, group, plural, version);
      return objects?.resource.names.kind === kind ? objects : undefined;
    };
    const known = served(plurals.get(`${group}/${kind}`));
    if (known) return known;
    const definition = definitionsIn(definitions).find((each) => each.group === group && each.acceptedNames.kind === kind);
    if (!definition || !servesVersion(definition, version)) return undefined;
    plurals.set(`${group}/${kind}`, definition.acceptedNames.plural);
    return served(definition.acceptedNames.plural);
  };
}

function storedObjects(
  definitions: Definitions,
  resources: CustomResources,
  group: string,
  plural: string,
): ObjectRegistry | undefined {
  const entry = definitions.find(group, plural);
  if (!entry || entry.corrupt || !isDefinitionConditionTrue(definitionOf(entry), 'Established')) return undefined;
  return resources.objectsOf(entry);
}

function servedVersions({ group, versions }: Definition): readonly GroupVersion[] {
  return versions.filter(({ served }) => served).map(({ name }) => ({ group, version: name }));
}

function servesVersion({ versions }: Definition, version: string): boolean {
  return versions.some(({ name, served }) => served && name === version);
}

function touchedBy({ before, after }: DefinitionChange): readonly GroupVersion[] {
  return [before, after].flatMap((entry) => {
    if (!entry) return [];
    const { group, versions } = definitionOf(entry);
    return versions.map(({ name }) => ({ group, version: name }));
  });
}
