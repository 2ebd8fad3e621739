import {
  type Handler,
  type HealthChecks,
  type Logger,
  LoopMonitor,
  type ServerMetrics,
  serverMetrics,
  shutdownNotice,
  stallLog,
  versionInfo,
} from '@tsukube/apiserver';
import { EventLoopBudget } from '@tsukube/transport';
import type { Access } from './access.ts';
import { genericChain } from './chain.ts';
import type { ApiServerOptions } from './options.ts';
import { createResourceRegistries, type ResourceRegistries } from './registries.ts';
import type { Stores } from './stores.ts';

export interface HandlingParts extends ApiServerOptions {
  readonly access: Access;
  readonly stores: Stores;
  readonly logger: Logger;
  /** host:port of the server. */
  readonly address: () => string;
}

/** The filter chain with the registries, metrics and health checks behind it. */
export interface GenericRequestHandling {
  readonly handler: Handler;
  readonly budget: EventLoopBudget;
  readonly onHandshakeError: () => void;
  /** Makes readiness fail from now on. */
  readonly setUnready: () => void;
  /** Ends all watches, spread evenly over a time. */
  readonly endWatches: (spreadMs: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

export const defaultTimeoutMs = 60_000;

export function createGenericRequestHandling(parts: HandlingParts): GenericRequestHandling {
  const { resources, access, stores, logger } = parts;
  const metrics = serverMetrics(versionInfo, resources);
  const registries = createResourceRegistries({
    resources,
    stores,
    plugins: parts.admissionPlugins ?? [],
    authorizer: access.authorizer,
    metrics,
    logger,
  });
  const budget = new EventLoopBudget();
  const loop = loopMonitor(metrics, budget, logger);
  const shutdown = shutdownNotice();
  let isReady = true;
  const handler = genericChain({
    resources,
    registries,
    access,
    metrics,
    handlers: parts.handlers ?? [],
    ownMetrics: () => parts.metrics?.text() ?? '',
    checks: healthChecks(parts, registries, () => isReady),
    shutdown: shutdown.notice,
    loop,
    limits: {
      reads: parts.maxReadsInFlight ?? 400,
      writes: parts.maxWritesInFlight ?? 200,
      timeoutMs: parts.requestTimeoutMs ?? defaultTimeoutMs,
    },
    title: parts.title ?? 'Tsukube',
    address: parts.address,
    onCancelled() {
      for (const { feed } of stores.all) feed.fence.raise();
    },
    logger,
  });
  return {
    handler,
    budget,
    onHandshakeError: () => metrics.handshakeErrors.increase(),
    setUnready() {
      isReady = false;
    },
    endWatches: (spreadMs) => shutdown.begin(spreadMs),
    async close() {
      loop.stop();
      await registries.close();
      metrics.close();
    },
  };
}

function healthChecks(
  { stores, access, readinessChecks = [], livenessChecks = [] }: HandlingParts,
  registries: ResourceRegistries,
  isReady: () => boolean,
): HealthChecks {
  const ping = { name: 'ping', check: () => {} };
  const storage = { name: 'storage', check: async () => void (await Promise.all(stores.all.map(({ store }) => store.ping()))) };
  const shutdown = {
    name: 'shutdown',
    check() {
      if (!isReady()) throw new Error('the server is shutting down');
    },
  };
  const loaded = { name: 'informer-sync', check: () => registries.loaded() };
  const authentication = { name: 'authentication', check: () => access.ready() };
  return {
    healthz: [ping, storage, ...livenessChecks],
    livez: [ping, storage, ...livenessChecks],
    readyz: [ping, storage, loaded, authentication, ...livenessChecks, ...readinessChecks, shutdown],
  };
}

function loopMonitor({ runtime }: ServerMetrics, budget: EventLoopBudget, logger: Logger): LoopMonitor {
  const log = stallLog(logger);
  return new LoopMonitor({
    budget,
    onTick: (lateMs) => runtime.lagged(lateMs),
    onStall(stall) {
      runtime.stalled(stall.ms);
      log(stall);
    },
  });
}
