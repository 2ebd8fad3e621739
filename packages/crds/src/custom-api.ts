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
import type { GroupVersion } from '@tsukube/machinery';
import type { Store } from '@tsukube/storage';
import type { Definition } from './definition/definition.ts';
import { type DefinitionChange, definitionsIn, lookedUpDefinitions, openDefinitions } from './definition/definitions.ts';
import { definitionOf } from './definition/read-definition.ts';
import { type Lifecycle, startLifecycle } from './lifecycle/lifecycle.ts';
import { openCustomResources } from './serving/custom-resources.ts';
import { type CustomDelegateOptions, customResourceDelegate } from './serving/delegate.ts';
import { type ServingParts, watchCaches } from './serving/serving.ts';

export interface CustomApiParts {
  /** The definitions themselves. */
  readonly definitions: ObjectRegistry;
  readonly store: Store;
  readonly feed: Feed;
  readonly services: RegistryServices;
  readonly prefix: string;
  readonly shutdown: ShutdownNotice;
  /** Where the services of the cluster are, for conversion webhooks. */
  readonly resolveService: ServiceResolver;
  readonly logger: Logger;
}

/** The API that definitions bring: everything between them and the requests for their objects. */
export interface CustomApi {
  /** Resolves when requests can be served. */
  load(): Promise<void>;
  /** Whether what is below may be asked: it reads definitions, of which there may be many. */
  readonly isStarted: boolean;
  /** Establishes definitions and removes them with their objects. */
  start(): void;
  /** Resolves when every definition has been read, in many small steps. */
  whenRead(): Promise<void>;
  delegate(options: CustomDelegateOptions): Delegate;
  /** What is served, for discovery. */
  resources(): Iterable<Resource>;
  /** All that has objects, for whoever looks after objects of all kinds. */
  stored(): Iterable<Resource>;
  registryOf(resource: Resource): ObjectRegistry | undefined;
  /** The objects of a definition in one of its versions. */
  objects(group: string, plural: string, version: string): ObjectRegistry | undefined;
  /** The versions that definitions serve, or will. */
  groupVersions(): readonly GroupVersion[];
  isDefined(version: GroupVersion): boolean;
  /** Calls back when all this may have changed, with the versions that it is about; undefined if it may be any. */
  onChange(listener: (touched: readonly GroupVersion[] | undefined) => void): () => void;
  close(): void;
}

export function openCustomApi(parts: CustomApiParts): CustomApi {
  const definitions = openDefinitions(parts.definitions);
  const onError = (error: unknown, definition: string) =>
    parts.logger.warn('objects could not be converted', { definition, error: String(error) });
  const resources = openCustomResources(definitions, { ...parts, openCache: watchCaches(parts.store, parts.feed, onError) });
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
    resources: () => resources.resources(),
    stored: () => resources.stored(),
    registryOf: (resource) => resources.registryOf(resource),
    objects(group, plural, version) {
      const entry = definitions.find(group, plural);
      const serving = entry && resources.servingOf(entry);
      return serving?.resource(version) && serving.objects(version);
    },
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

/** What definitions bring, in a worker: definitions are looked up with every request, and somebody else follows them. */
export interface LookedUpApi {
  delegate(options: CustomDelegateOptions): Delegate;
  /** One version of a definition. */
  resource(group: string, plural: string, version: string): Resource | undefined;
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
  };
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
