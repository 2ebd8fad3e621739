export * from './admission/cel/index.ts';
export * from './admission/policy/index.ts';
export { mutatingWebhookPlugin, validatingWebhookPlugin } from './admission/webhook/index.ts';
export * from './audit/index.ts';
export * from './authentication/index.ts';
export type { AuthenticationConfiguration, JwtConfiguration } from './authentication/oidc/configuration.ts';
export { type JwtAuthenticator, jwtAuthenticator } from './authentication/oidc/jwt-authenticator.ts';
export { validateConfiguration } from './authentication/oidc/validate.ts';
export { nodeOfUser, serviceAccountGroups, serviceAccountOfUser } from './authorization/impersonation-modes.ts';
export * from './authorization/index.ts';
export { flowControlPages } from './delegates/flow-control-pages.ts';
export { type HealthCheck, type HealthChecks, HealthProblem, healthDelegate } from './delegates/health.ts';
export { logFiles } from './delegates/logs.ts';
export { isOpenIdIssuer, openIdPages, openIdPaths } from './delegates/openid.ts';
export { indexPage, metricsPage, type VersionInfo, versionPage } from './delegates/pages.ts';
export {
  asResourceRequest,
  type ResourceSubject,
  resourceDelegate,
  type ServingContext,
  serveVerb,
  unservedPaths,
} from './delegates/resources.ts';
export { createDiscovery, type Discovery } from './discovery/discovery.ts';
export { compareVersions, priorityOf } from './discovery/priorities.ts';
export type { RemoteVersion } from './discovery/remote-version.ts';
export { audit, auditFailedAuthentication } from './filters/audit.ts';
export * from './filters/authentication.ts';
export * from './filters/authorization.ts';
export { compression } from './filters/compression.ts';
export { cancellation, deadline } from './filters/deadline.ts';
export { type Draining, draining } from './filters/draining.ts';
export * from './filters/filter.ts';
export { delegation } from './filters/filter.ts';
export { type FlowControlFilterOptions, flowControl } from './filters/flow-control.ts';
export { impersonation } from './filters/impersonation.ts';
export { type MaxInFlightOptions, maxInFlight } from './filters/max-in-flight.ts';
export { panicRecovery } from './filters/panic-recovery.ts';
export { type LoopObserver, requestMetrics } from './filters/request-metrics.ts';
export { cors, fixedHeaders, responseHeaders } from './filters/response-headers.ts';
export * from './flowcontrol/index.ts';
export * from './handlers/index.ts';
export { acceptClauses, acceptsMediaType } from './http/accept.ts';
export type * from './http/api-request.ts';
export { anonymousUser, IncomingRequest } from './http/api-request.ts';
export { isTrue, type RequestInfo, requestInfo } from './http/request-info.ts';
export { answerBytes, answerError, answerStatus, answerText, answerValue } from './http/respond.ts';
export * from './logger.ts';
export { LoopMonitor } from './loop/loop-monitor.ts';
export { requestSummary, stallLog } from './loop/stall-log.ts';
export * from './metrics/index.ts';
export { HeavyRequests, type LightLimits, lightLimits } from './offload/heavy-requests.ts';
export type { AdmissionSample } from './offload/job.ts';
export { type DerivationMessage, JobLoop, type JobParts } from './offload/job-loop.ts';
export { type CacheCalls, cacheCalls, type EntryMessage, RemoteCache } from './offload/remote-cache.ts';
export { type MainThread, mainThreadBehind, ownedBytes } from './offload/thread-calls.ts';
export { type JobState, WorkerPool, type WorkerThreadData } from './offload/worker-pool.ts';
export { type RemoteSpec, specOfPaths } from './openapi/merge-specs.ts';
export { createOpenApi, type OpenApi } from './openapi/openapi.ts';
export { misshapenPiece } from './openapi/spec-shape.ts';
export { defaultWebhookService, validateWebhookClient } from './outbound/client-config.ts';
export { type OutboundClient, OutboundError, outboundClient } from './outbound/outbound-client.ts';
export {
  type CacheLookup,
  type NetworkAddress,
  type ServiceAddresses,
  type ServiceReference,
  type ServiceResolver,
  serviceAddresses,
  serviceResolver,
} from './outbound/service-resolver.ts';
export {
  type FindCredentials,
  type WebhookCall,
  type WebhookClient,
  type WebhookCredentials,
  webhookClient,
} from './outbound/webhook-client.ts';
export { connectionProblem, statusProblem, WebhookFailed } from './outbound/webhook-failure.ts';
export * from './proxy/index.ts';
export { CacheFollower, type CacheListener, follow, followObjects, type ObjectListener } from './reconcile/follow.ts';
export { settleRaces, updateExisting } from './reconcile/races.ts';
export { WorkQueue } from './reconcile/work-queue.ts';
export * from './registry/admission.ts';
export { admissionAttributes, forbiddenByAdmission } from './registry/admission-attributes.ts';
export { pauseAfterConflict } from './registry/backoff.ts';
export {
  deleteObject,
  deleteOptionsObject,
  foregroundFinalizer,
  orphanFinalizer,
  type Propagation,
  setPropagation,
} from './registry/deletion.ts';
export { derivedBytes, forgetEncodings, labelsOf } from './registry/derived.ts';
export { type FieldManagement, fieldManagement } from './registry/field-management.ts';
export type { ObjectForm } from './registry/object-form.ts';
export { nameOfKey } from './registry/object-meta.ts';
export { ObjectRegistry, type RegistryServices } from './registry/object-registry.ts';
export type * from './registry/resource.ts';
export type * from './registry/resource-request.ts';
export { presentAs } from './registry/storage-decoding.ts';
export {
  decodeObject,
  encodeObject,
  encodeStored,
  endOfPlainMetadata,
  memberOf,
  plainMetadata,
  withResourceVersion,
} from './registry/stored-form.ts';
export { ageColumn, column, nameColumn, nameColumnWith, plainColumns } from './registry/table-columns.ts';
export type { ConvertByWebhook } from './registry/webhook-conversions.ts';
export { asBootstrap, asServer, type ServerIdentity, type WriteContext } from './registry/write-context.ts';
export { replaceFile, writeFilesAtomically } from './serving/atomic-file.ts';
export { type Compactable, startCompaction } from './serving/compaction.ts';
export { directoryFiles } from './serving/directory-files.ts';
export { serveExchange } from './serving/exchange-handler.ts';
export {
  checkKubeconfigPath,
  type KubeconfigContent,
  localUrl,
  renderKubeconfig,
  writeKubeconfig,
} from './serving/kubeconfig.ts';
export { type DrainOptions, drainServer, type Shutdown, shutdownNotice } from './serving/shutdown.ts';
export { kubernetesVersion, tsukubeVersion, versionInfo } from './serving/version.ts';
export { type CacheEntry, type CacheEvent, isReadable, type Present } from './watchcache/entry.ts';
export { type Feed, type FeedListener, openFeed } from './watchcache/feed.ts';
export type { ObjectCache } from './watchcache/object-cache.ts';
export { WatchCache, type WatchCacheOptions } from './watchcache/watch-cache.ts';
