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
import type { Store } from '@tsukube/storage';
import { openDefinitions } from './definition/definitions.ts';
import type { KnownKinds } from './known-kinds.ts';
import { startLife } from './life/life.ts';
import { openCustomResources } from './serving/custom-resources.ts';
import { type CustomDelegateOptions, customResourceDelegate } from './serving/delegate.ts';

export interface CustomApiParts {
  /** The definitions themselves. */
  readonly definitions: ObjectRegistry;
  readonly store: Store;
  readonly feed: Feed;
  readonly services: RegistryServices;
  readonly known: KnownKinds;
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
  /** Establishes definitions and removes them with their objects. */
  start(): void;
  delegate(options: CustomDelegateOptions): Delegate;
  /** What is served, for discovery. */
  resources(): Iterable<Resource>;
  /** The stored version of each resource, for who looks after all objects there are. */
  stored(): Iterable<Resource>;
  /** Undefined if the definition is gone. */
  registryOf(resource: Resource): ObjectRegistry | undefined;
  /** Calls back when `resources` may give something else. */
  onChange(listener: () => void): () => void;
  close(): void;
}

export function openCustomApi(parts: CustomApiParts): CustomApi {
  const definitions = openDefinitions(parts.definitions);
  const onError = (error: unknown, definition: string) =>
    parts.logger.warn('objects could not be converted', { definition, error: String(error) });
  const resources = openCustomResources(definitions, { ...parts, onError });
  let life: { stop(): void } | undefined;
  return {
    load: () => definitions.load(),
    start() {
      life = startLife({ definitions, resources, registry: parts.definitions, logger: parts.logger });
    },
    delegate: (options) => customResourceDelegate(definitions, resources, options),
    resources: () => resources.resources(),
    stored: () => resources.stored(),
    registryOf: (resource) => resources.registryOf(resource),
    onChange: (listener) => definitions.onChange(() => listener()),
    close() {
      definitions.close();
      life?.stop();
      resources.close();
    },
  };
}
