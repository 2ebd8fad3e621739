export { type GroupResource, type GroupVersionKind, groupResourceText, parseGroupResource } from '@tsukube/machinery';
export {
  anonymousCredentials,
  type ClientCertificate,
  type ClusterConfig,
  type Credentials,
  KubeconfigError,
} from './config/cluster-config.ts';
export { inClusterConfig, isInCluster } from './config/in-cluster.ts';
export { type KubeconfigOptions, loadConfig } from './config/kubeconfig.ts';
export {
  type ChangeSource,
  Controller,
  type ControllerOptions,
  generationChanged,
  type ObjectChange,
  type Predicate,
  type ReconcileContext,
  type ReconcileRequest,
  type ReconcileResult,
  type WatchedSource,
  watches,
} from './controller/controller.ts';
export { EventRecorder, type EventRecorderOptions, type RecordedEvent, referenceTo } from './controller/event-recorder.ts';
export { type FinalizerSteps, withFinalizer } from './controller/finalizer.ts';
export { controllerReference, isControlledBy, setControllerReference } from './controller/owner-references.ts';
export { type QueueOptions, RateLimitingQueue } from './controller/rate-limiting-queue.ts';
export { ConnectionError, type HttpResponse } from './http/transport.ts';
export type { InformerHandler } from './informer/handler-queue.ts';
export { type HandlerOptions, Informer, type InformerOptions } from './informer/informer.ts';
export { SharedInformers } from './informer/shared-informers.ts';
export { type LeaderElectionOptions, LeaderElector, LeadershipLost } from './leader-election/leader-elector.ts';
export { type Counter, type Gauge, type Histogram, type MetricLabels, Metrics } from './metrics/metrics.ts';
export { type Check, type EndpointOptions, type Endpoints, serveEndpoints } from './metrics/serve-endpoints.ts';
export { ApiClient, type CallOptions, type ClientOptions, type RestRequest } from './rest/api-client.ts';
export * from './rest/api-error.ts';
export * from './rest/api-object.ts';
export type { DiscoveredResource } from './rest/discovery.ts';
export type { Impersonation } from './rest/headers.ts';
export { KubeClient } from './rest/kube-client.ts';
export {
  type Applied,
  type DeleteOptions,
  type ListOptions,
  ResourceApi,
  type Selectors,
  SubresourceApi,
  type WatchOptions,
} from './rest/resource-api.ts';
export { parseResourceName, type ResourceName, type ResourceScope, resourceNameText } from './rest/resource-name.ts';
export type { ApplyOptions, JsonPatchOperation, Patch, WriteOptions } from './rest/write-options.ts';
export { Deadline } from './timing/deadline.ts';
export { ManualTiming } from './timing/manual-timing.ts';
export type { RateLimit } from './timing/rate-limiter.ts';
export { systemTiming, type Timing } from './timing/timing.ts';
export { type Indexer, ObjectStore, type ReadonlyStore } from './watch/object-store.ts';
export { dropManagedFields, reflector, type StoreChange, type Transform } from './watch/reflector.ts';
export { type WatcherEvent, type WatcherOptions, watcher, watcherBatches } from './watch/watcher.ts';
