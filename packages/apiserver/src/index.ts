export * from './admission/cel/index.ts';
export { mutatingPolicyPlugin } from './admission/policy/mutating-policy.ts';
export type { RegistryOfKind } from './admission/policy/params.ts';
export { checkPolicyTypes, type ExpressionWarning } from './admission/policy/type-check.ts';
export { type PolicyPluginParts, validatingPolicyPlugin } from './admission/policy/validating-policy.ts';
export { mutatingWebhookPlugin, validatingWebhookPlugin } from './admission/webhook/index.ts';
export type { AuditOptions } from './audit/audit-trail.ts';
export { type AuditEvent, eventJson, legacyFormat } from './audit/event.ts';
export { type AuditPolicy, readAuditPolicy } from './audit/policy.ts';
export {
  type AuditSink,
  type BatchOptions,
  batchingSink,
  lenientSink,
  type OnLost,
  type TruncationOptions,
  truncatingSink,
  unionSink,
} from './audit/sink.ts';
export * from './authentication/authenticator.ts';
export { bearerAuthenticator, commonAudiences, withApiAudiences } from './authentication/bearer-token.ts';
export { type CertificateUser, commonNameOf, userFromCertificate } from './authentication/certificate-user.ts';
export { type CertificatePool, certificateAuthenticator, parseCertificatePool } from './authentication/client-certificate.ts';
export {
  audiencesOf,
  type CompactToken,
  hasReadableClaims,
  leewayMs,
  parseCompact,
  type TimeProblem,
  timeProblem,
} from './authentication/jwt.ts';
export {
  checkSignature,
  jwkOf,
  type Signer,
  signatureProblem,
  signerOf,
  signingAlgorithms,
  type VerificationKey,
  verificationKeys,
} from './authentication/jwt-keys.ts';
export type { AuthenticationConfiguration, JwtConfiguration } from './authentication/oidc/configuration.ts';
export { type JwtAuthenticator, jwtAuthenticator } from './authentication/oidc/jwt-authenticator.ts';
export { validateConfiguration } from './authentication/oidc/validate.ts';
export { isProxyHeader, type ProxyHeaders, requestHeaderAuthenticator } from './authentication/request-header.ts';
export { cachedTokenAuthenticator } from './authentication/token-cache.ts';
export { webhookTokenAuthenticator } from './authentication/token-webhook.ts';
export { unionAuthenticator, unionTokenAuthenticator, withAuthenticatedGroup } from './authentication/union.ts';
export { isTokenProtocol, webSocketAuthenticator } from './authentication/websocket-token.ts';
export { accessReviewSpec, type CachedReviewsOptions, cachedReviews, reviewVerdict } from './authorization/access-review.ts';
export * from './authorization/authorizer.ts';
export { nodeOfUser, serviceAccountGroups, serviceAccountOfUser } from './authorization/impersonation-modes.ts';
export { forbiddenError, RequestAccess, selectedBy } from './authorization/request-access.ts';
export {
  alwaysAllow,
  alwaysDenyAuthorizer,
  joinedErrors,
  noOpinion,
  noRules,
  privilegedGroups,
  unionAuthorizer,
} from './authorization/union.ts';
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
export { type LevelConfig, readLevel, readSchema, type SchemaConfig } from './flowcontrol/flow-config.ts';
export { FlowControl, type FlowControlOptions } from './flowcontrol/flow-control.ts';
export { DispatchPacer, SeatReleaser } from './flowcontrol/loop-pacing.ts';
export { SlowUploads } from './flowcontrol/seat-wait.ts';
export { type ObjectStats, WatchTracker, type WorkEstimator, workEstimator } from './flowcontrol/work-estimator.ts';
export * from './handlers/index.ts';
export { acceptClauses, acceptsMediaType } from './http/accept.ts';
export type * from './http/api-request.ts';
export { anonymousUser, IncomingRequest } from './http/api-request.ts';
export { isTrue, type RequestInfo, requestInfo } from './http/request-info.ts';
export { answerBytes, answerError, answerStatus, answerText, answerValue } from './http/respond.ts';
export * from './logger.ts';
export { LoopMonitor } from './loop/loop-monitor.ts';
export { requestSummary, stallLog } from './loop/stall-log.ts';
export type { AuthorizationMetrics } from './metrics/access-metrics.ts';
export { type EncryptionMetrics, encryptionMetrics, type ProviderMetrics } from './metrics/encryption-metrics.ts';
export { FlowControlMetrics } from './metrics/flow-control-metrics.ts';
export { type InFlightMetrics, inFlightMetrics } from './metrics/in-flight-metrics.ts';
export type { KubeletMetrics } from './metrics/kubelet-metrics.ts';
export type { Description, Family } from './metrics/prometheus/family.ts';
export { Registry } from './metrics/prometheus/registry.ts';
export type { CounterSeries, GaugeSeries, HistogramSeries } from './metrics/prometheus/series.ts';
export { servedSubjects } from './metrics/request-labels.ts';
export { RequestMetrics } from './metrics/request-metrics.ts';
export { observedHealthChecks, type ServerMetrics, serverMetrics } from './metrics/server-metrics.ts';
export { measuredStore, type StoreSeries, storageCorruption, storageSize, storeMetrics } from './metrics/store-metrics.ts';
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
export {
  asClientProblem,
  asTransportProblem,
  type Backend,
  type BackendRequest,
  type BackendTls,
  backendTlsOptions,
  hostPortOf,
  startRequest,
} from './proxy/backend.ts';
export { escapedPath, joinedPath, queryOf } from './proxy/link-rewriting.ts';
export { streamFrom } from './proxy/log-stream.ts';
export { tunnelSpdy } from './proxy/port-forward-tunnel.ts';
export { forwardedHeaders, proxiedResponseHeaders, upgradeHeaders } from './proxy/proxy-headers.ts';
export { proxyRequest } from './proxy/proxy-request.ts';
export {
  isUpgradeRequest,
  joinSockets,
  proxyUpgrade,
  refusal,
  requestUpgrade,
  switchingHead,
  takeOverClient,
  UpgradeFailed,
  upgradeError,
} from './proxy/proxy-upgrade.ts';
export { type RemoteCommand, type StreamSelection, translateStreams } from './proxy/stream-translator.ts';
export { offeredProtocols, streamCloseProtocol, tunneledProtocols } from './proxy/websocket-protocols.ts';
export { CacheFollower, type CacheListener, follow, followObjects, type ObjectListener } from './reconcile/follow.ts';
export { settleRaces, updateExisting } from './reconcile/races.ts';
export { WorkQueue } from './reconcile/work-queue.ts';
export * from './registry/admission.ts';
export { admissionAttributes, forbiddenByAdmission } from './registry/admission-attributes.ts';
export { type Backoff, pauseAfter, pauseAfterConflict } from './registry/backoff.ts';
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
