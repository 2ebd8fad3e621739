import { join } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import type { Aggregator } from '@tsukube/aggregator';
import { describe } from '@tsukube/api';
import {
  type AuditOptions,
  type Authorizer,
  audit,
  auditFailedAuthentication,
  authentication,
  authorization,
  cancellation,
  chain,
  compression,
  cors,
  createDiscovery,
  createOpenApi,
  type Delegate,
  type Draining,
  deadline,
  delegation,
  type Filter,
  fixedHeaders,
  type Handler,
  type HealthCheck,
  type HealthChecks,
  type HeavyRequests,
  healthDelegate,
  type IncomingRequest,
  impersonation,
  indexPage,
  isOpenIdIssuer,
  kubernetesVersion,
  type LoopObserver,
  logFiles,
  metricsPage,
  type ObjectRegistry,
  observedHealthChecks,
  openIdPages,
  openIdPaths,
  panicRecovery,
  type Resource,
  requestMetrics,
  resourceDelegate,
  responseHeaders,
  type ServerMetrics,
  type ShutdownNotice,
  unservedPaths,
  versionInfo,
  versionPage,
  withRequestInfo,
} from '@tsukube/apiserver';
import type { CustomApi } from '@tsukube/crds';
import { RequestMemory } from '@tsukube/transport';
import type { ApiServerParts } from './api-server.ts';
import type { Authentication } from './authentication/authenticator.ts';
import { perProcess, type ServeOptions } from './config/index.ts';
import type { EncryptionChecks } from './encryption/index.ts';
import type { RequestLimits } from './flow-control.ts';
import { healthChecks, type PostStartHooks } from './health.ts';
import { builtInNames, objectsNamed } from './registries/registries.ts';
import { flagzPage, statuszPage } from './z-pages.ts';

export interface ChainParts extends ApiServerParts {
  readonly resources: readonly Resource[];
  readonly registryOf: (resource: Resource) => ObjectRegistry;
  /** Custom resources. */
  readonly custom: CustomApi | undefined;
  readonly aggregator: Aggregator;
  /** Serves heavy requests in worker threads; absent without workers. */
  readonly heavy: HeavyRequests | undefined;
  readonly shutdown: ShutdownNotice;
  readonly isReady: () => boolean;
  readonly encryptionChecks: EncryptionChecks;
  readonly hooks: PostStartHooks;
  readonly metrics: ServerMetrics;
  readonly authorizer: Authorizer;
  readonly authentication: Authentication;
  readonly limits: RequestLimits;
  readonly auditing: AuditOptions | undefined;
  /** Called when a request that may write is cancelled. */
  readonly onCancelled: () => void;
  readonly draining: Draining;
  readonly loop: LoopObserver;
}

/** The filter chain and the delegates, in request order. */
export function requestChain(parts: ChainParts): Handler {
  const { options, logger, metrics, auditing } = parts;
  return chain(
    [
      responseHeaders(),
      compression(),
      ...servingFilters(parts),
      requestMetrics(metrics.requests, parts.loop),
      panicRecovery(logger),
      withRequestInfo(),
      cancellation(parts.onCancelled),
      deadline(options.requestTimeout, terminated(metrics, 504)),
      ...(auditing ? [auditFailedAuthentication(auditing)] : []),
      authentication(parts.authentication.authenticator, {
        apiAudiences: parts.serviceAccounts.apiAudiences,
        isCredential: parts.authentication.isCredential,
        logger,
        metrics: metrics.authentication,
      }),
      ...(auditing ? [audit(auditing)] : []),
      impersonation(parts.authorizer),
      parts.limits.filter,
      authorization(parts.authorizer, metrics.authorization.attempted),
    ],
    delegation(delegates(parts)),
  );
}

/** Optional filters. They wrap the filters that turn errors into responses, so they see every response. */
function servingFilters({ options, draining, group }: ChainParts): readonly Filter[] {
  const { corsAllowedOrigins: origins, strictTransportSecurityDirectives: directives } = options;
  return [
    ...(group ? [fixedHeaders({ 'x-tsukube-worker': String(group.index) })] : []),
    ...(options.shutdownSendRetryAfter ? [draining.filter] : []),
    ...(directives.length > 0 ? [fixedHeaders({ 'strict-transport-security': directives.join('; ') })] : []),
    ...(origins.length > 0 ? [cors(origins)] : []),
  ];
}

/** Counts requests that the server terminates in self-defense. */
export function terminated({ requests }: ServerMetrics, code: number): (request: IncomingRequest) => void {
  return (request) => requests.of(request).terminated(code);
}

/** The first delegate that claims a path answers. */
function delegates(parts: ChainParts): readonly Delegate[] {
  const { options, resources, registryOf, custom, aggregator, logger, metrics } = parts;
  const all = () => [...resources, ...(custom?.resources() ?? [])];
  const discovery = createDiscovery(all, { serverAddress: parts.address, remote: () => aggregator.documents.versions() });
  const openApi = createOpenApi(() => resources, {
    describe,
    title: 'Kubernetes',
    version: kubernetesVersion,
    custom: () => custom?.resources() ?? [],
    remote: () => aggregator.documents.openApi3(),
    remoteSpecs: () => aggregator.documents.specs(),
  });
  aggregator.onDocuments(() => {
    discovery.invalidate();
    openApi.invalidate();
  });
  const checks = observedHealthChecks(healthChecks(parts), metrics.slis);
  custom?.onChange(() => {
    discovery.invalidate();
    openApi.invalidate();
  });
  const serving = {
    objectsOf: objectsNamed(resources, registryOf),
    minWatchSeconds: options.minRequestTimeout,
    heavy: parts.heavy,
    memory: new RequestMemory(perProcess(options, requestMemoryBytes(options))),
  };
  const customDelegate = custom?.delegate({ ...serving, isBuiltIn: builtInNames(resources) });
  return [
    aggregator.delegate,
    ...(customDelegate ? [customDelegate] : []),
    resourceDelegate({ ...serving, resources, registryOf, shutdown: parts.shutdown }),
    (request) => discovery.answer(request),
    unservedPaths(resources),
    (request) => openApi.answer(request),
    healthDelegate(() => checks, logger),
    versionPage(versionInfo),
    flagzPage(options),
    statuszPage(Date.now(), Date.now),
    ...openId(parts),
    metricsPage(...metricsSources(parts)),
    ...parts.limits.pages,
    ...(hasLogs(options) ? [logFiles(join(options.dataDir, 'logs'))] : []),
    indexPage(() => [
      ...servedPaths(all()),
      ...healthPaths(checks),
      ...(isOpenIdIssuer(parts.serviceAccounts.issuer.issuer) ? openIdPaths : []),
      ...(hasLogs(options) ? ['/logs'] : []),
    ]),
    ...(custom && customDelegate ? [custom.lateDelegate(customDelegate)] : []),
  ];
}

/** A scrape sees all processes of the server, whichever answers. */
function metricsSources({ group, metrics }: ChainParts): Parameters<typeof metricsPage> {
  if (!group) return [metrics.registry, metrics.slis];
  return [{ scrape: () => group.scrapeAll('metrics') }, { scrape: () => group.scrapeAll('slis') }];
}

/** At most a quarter of the heap. */
function requestMemoryBytes({ maxRequestMemory: megabytes }: ServeOptions): number {
  const most = 256 * 2 ** 20;
  return megabytes === 0 ? Math.min(most, getHeapStatistics().heap_size_limit / 4) : megabytes * 2 ** 20;
}

/** OpenID discovery is served only if the issuer is an HTTPS URL. */
function openId({ serviceAccounts: { issuer, keys }, options, address }: ChainParts): readonly Delegate[] {
  if (!isOpenIdIssuer(issuer.issuer)) return [];
  const jwksUri = () => options.serviceAccountJwksUri ?? `https://${address()}${openIdPaths[1]}`;
  return [openIdPages({ issuer: issuer.issuer, jwksUri, keys })];
}

function hasLogs(options: ServeOptions): options is ServeOptions & { readonly dataDir: string } {
  return options.enableLogsHandler && options.dataDir !== undefined;
}

function healthPaths(checks: HealthChecks): readonly string[] {
  return Object.entries(checks).flatMap(([endpoint, all]: [string, readonly HealthCheck[]]) => [
    `/${endpoint}`,
    ...all.map(({ name }) => `/${endpoint}/${name}`),
  ]);
}

function servedPaths(resources: readonly Resource[]): readonly string[] {
  const paths = [
    '/api',
    '/apis',
    '/apis/',
    '/flagz',
    '/metrics',
    '/metrics/slis',
    '/openapi/v2',
    '/openapi/v3',
    '/openapi/v3/',
    '/statusz',
    '/version',
  ];
  for (const { group, version } of resources.flatMap((resource) => resource.versions)) {
    if (group === '') paths.push(`/api/${version}`);
    else paths.push(`/apis/${group}`, `/apis/${group}/${version}`);
  }
  return paths;
}
