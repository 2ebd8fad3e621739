import type {
  AdmissionAttributes,
  AdmissionPlugin,
  Authorizer,
  FindCredentials,
  ObjectCache,
  ObjectRegistry,
  PluginMetrics,
  RegistryOfKind,
  Resource,
  ServiceResolver,
} from '@tsukube/apiserver';
import { isObject, type JsonObject, StatusError, setKey } from '@tsukube/machinery';

/** An admission plugin with its name in `--enable-admission-plugins` and `--disable-admission-plugins`. */
export interface PluginDefinition {
  readonly name: string;
  readonly isDefault: boolean;
  readonly create: (context: PluginContext) => AdmissionPlugin;
}

/** Default toleration seconds of pods for node conditions. */
export interface TolerationSeconds {
  readonly notReady: number;
  readonly unreachable: number;
}

/** Dependencies of admission plugins. */
export interface PluginContext {
  /** Undefined if the resource is not served. Also finds custom resources. */
  readonly registryOf: (group: string, resource: string) => ObjectRegistry | undefined;
  /** The objects of a kind, built-in or custom, in one of its versions. Undefined if the kind is not served. */
  readonly registryOfKind: RegistryOfKind;
  /** The cache of a registry. */
  readonly cacheOf: (group: string, resource: string) => ObjectCache | undefined;
  readonly authorizer: Authorizer;
  readonly now: () => number;
  /** The plugin's section of the file `--admission-control-config-file`. */
  readonly configurationOf: (plugin: string) => JsonObject | undefined;
  readonly metrics: PluginMetrics;
  /** For calls to webhooks. */
  readonly resolveService: ServiceResolver;
  readonly tolerationSeconds: TolerationSeconds;
  /** All resources with a registry, served or not. */
  readonly resources: () => readonly Resource[];
  /** The credentials of a webhook plugin for the servers it calls; undefined if it has none. */
  readonly webhookCredentials: (plugin: string) => FindCredentials | undefined;
  /** A webhook that a kubeconfig file describes. The file is read with the first call. */
  readonly openWebhook: (kubeConfigFile: string) => ReviewWebhook;
}

/** A webhook for reviews, such as ImageReviews. */
export interface ReviewWebhook {
  /** Resolves with the response, an object. Transient failures are retried with backoff. Rejects with the message of Kubernetes. */
  post(body: string, initialBackoffMs: number): Promise<JsonObject>;
}

/** Sets entries of a map of strings, and keeps its keys in Kubernetes' order, sorted. */
export function addToMap(owner: JsonObject, field: string, added: Readonly<Record<string, string>>): void {
  const map = owner[field];
  const all = new Map([...(isObject(map) ? Object.entries(map) : []), ...Object.entries(added)]);
  if (all.size === 0) return;
  const sorted: JsonObject = {};
  for (const [key, value] of [...all].sort(([a], [b]) => (a < b ? -1 : 1))) setKey(sorted, key, value);
  owner[field] = sorted;
}

/** Whether the request is for pods or a subresource of pods. */
export function isPodRequest({ resource, subresource }: AdmissionAttributes, part = ''): boolean {
  return resource.names.plural === 'pods' && resource.hub.group === '' && subresource === part;
}

/** A 500 with a message, for errors to which Kubernetes gives no reason. */
export function unknownError(message: string): StatusError {
  return new StatusError({ status: 'Failure', message, code: 500 });
}
