import { getHeapStatistics } from 'node:v8';
import { describe } from '@tsukube/api';
import {
  authentication,
  authorization,
  cancellation,
  chain,
  compression,
  createDiscovery,
  createOpenApi,
  type Delegate,
  deadline,
  delegation,
  type Handler,
  type HealthChecks,
  healthDelegate,
  type IncomingRequest,
  impersonation,
  indexPage,
  kubernetesVersion,
  type Logger,
  type LoopObserver,
  maxInFlight,
  metricsPage,
  observedHealthChecks,
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
  whenAnswered,
  withRequestInfo,
} from '@tsukube/apiserver';
import { RequestMemory } from '@tsukube/transport';
import type { DefinedResource } from '../resource/define-resource.ts';
import type { Access } from './access.ts';
import { type PathHandler, pathDelegate } from './path-handler.ts';
import type { ResourceRegistries } from './registries.ts';

export interface GenericChainParts {
  readonly resources: readonly DefinedResource[];
  readonly registries: ResourceRegistries;
  /** Asked before the resources. */
  readonly handlers: readonly PathHandler[];
  /** Further metrics of /metrics, in the text format. */
  readonly ownMetrics: () => string;
  readonly access: Access;
  readonly metrics: ServerMetrics;
  readonly checks: HealthChecks;
  readonly shutdown: ShutdownNotice;
  readonly loop: LoopObserver;
  readonly limits: { readonly reads: number; readonly writes: number; readonly timeoutMs: number };
  readonly title: string;
  /** host:port of the server. */
  readonly address: () => string;
  /** Called when a request that may write is cancelled. */
  readonly onCancelled: () => void;
  readonly logger: Logger;
}

/** The filters and delegates, in request order: those of the main server that do not depend on built-in kinds. */
export function genericChain(parts: GenericChainParts): Handler {
  const { access, metrics, limits, logger } = parts;
  const terminated = (code: number) => (request: IncomingRequest) => metrics.requests.of(request).terminated(code);
  return chain(
    [
      responseHeaders(),
      compression(),
      requestMetrics(metrics.requests, parts.loop),
      panicRecovery(logger),
      withRequestInfo(),
      cancellation(parts.onCancelled),
      deadline(limits.timeoutMs, terminated(504)),
      authentication(access.authenticator, {
        isCredential: access.isCredential,
        logger,
        metrics: metrics.authentication,
      }),
      impersonation(access.authorizer),
      maxInFlight({
        maxReadOnly: limits.reads,
        maxMutating: limits.writes,
        requestTimeoutMs: limits.timeoutMs,
        metrics: metrics.inFlight,
        onRefused: terminated(429),
      }),
      authorization(access.authorizer, metrics.authorization.attempted),
    ],
    delegation(delegates(parts)),
  );
}

const watchSeconds = 1800;

/** The first delegate that claims a path answers. */
function delegates({ resources, registries, metrics, logger, ...parts }: GenericChainParts): readonly Delegate[] {
  const memory = new RequestMemory(Math.min(256 * 2 ** 20, getHeapStatistics().heap_size_limit / 4));
  const discovery = createDiscovery(() => resources, { serverAddress: parts.address });
  const typed = resources.filter(({ hub }) => hub.schema.form === undefined);
  const custom = resources.filter(({ hub }) => hub.schema.form !== undefined);
  const openApi = createOpenApi(() => typed, { describe, title: parts.title, version: kubernetesVersion, custom: () => custom });
  const checks = observedHealthChecks(parts.checks, metrics.slis);
  return [
    ...parts.handlers.map((handler) => pathDelegate(handler, parts.shutdown, memory)),
    resourceDelegate({
      resources,
      registryOf: registries.of,
      objectsOf: registries.named,
      shutdown: parts.shutdown,
      minWatchSeconds: watchSeconds,
      heavy: undefined,
      memory,
    }),
    (request) => discovery.answer(request),
    unservedPaths(resources),
    (request) => openApi.answer(request),
    healthDelegate(() => checks, logger),
    versionPage(versionInfo),
    withOwnMetrics(metricsPage(metrics.registry, metrics.slis), parts.ownMetrics),
    indexPage(() => servedPaths(resources)),
  ];
}

/** Appends the author's metrics to the page of the server. */
function withOwnMetrics(page: Delegate, ownMetrics: () => string): Delegate {
  return (request) => {
    const answer = page(request);
    if (request.path !== '/metrics' || answer === undefined) return answer;
    return whenAnswered(answer, (each) => (each.kind === 'bytes' ? { ...each, body: `${each.body}${ownMetrics()}` } : each));
  };
}

const fixedPaths = [
  '/api',
  '/apis',
  '/healthz',
  '/livez',
  '/metrics',
  '/metrics/slis',
  '/openapi/v2',
  '/openapi/v3',
  '/readyz',
  '/version',
];

function servedPaths(resources: readonly Resource[]): readonly string[] {
  const versions = resources.flatMap((resource) => resource.versions);
  return [...fixedPaths, ...versions.flatMap(({ group, version }) => [`/apis/${group}`, `/apis/${group}/${version}`])];
}
