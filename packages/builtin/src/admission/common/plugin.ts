import type {
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
import type { JsonObject } from '@tsukube/machinery';

/** An admission plugin that `--enable-admission-plugins` and `--disable-admission-plugins` know by name. */
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
