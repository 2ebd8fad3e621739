import {
  type Draining,
  draining,
  type Handler,
  type Logger,
  LoopMonitor,
  type ServerMetrics,
  stallLog,
} from '@tsukube/apiserver';
import { EventLoopBudget } from '@tsukube/transport';
import type { ApiServerParts } from './api-server.ts';
import type { AccessControl, Api, OpenStorage } from './assembly.ts';
import { openAuditing } from './audit/auditing.ts';
import { requestChain, terminated } from './chain.ts';
import { type RequestLimits, requestLimits } from './flow-control.ts';
import { PostStartHooks } from './health.ts';

export interface RequestHandling {
  readonly handler: Handler;
  readonly limits: RequestLimits;
  readonly hooks: PostStartHooks;
  readonly draining: Draining;
  readonly budget: EventLoopBudget;
  readonly loop: LoopMonitor;
  /** Makes readiness fail from now on. */
  setUnready(): void;
  /** Flushes audit events. */
  close(): Promise<void>;
}

/** The filter chain with its limits, audit backend and event loop monitor. */
export async function createRequestHandling(
  parts: ApiServerParts,
  access: AccessControl,
  storage: OpenStorage,
  api: Api,
): Promise<RequestHandling> {
  const { options, logger } = parts;
  const { metrics, resources, feed } = storage;
  let isReady = true;
  const hooks = new PostStartHooks();
  const auditing = await openAuditing(options, metrics, logger, parts.group?.index);
  parts.group?.answer({
    scrape: (page) => (page === 'metrics' ? metrics.registry : metrics.slis).scrape(),
    checkHook: (name) => hooks.check(name),
  });
  const limits = requestLimits({ ...api, options, resources, metrics, onRefused: terminated(metrics, 429) });
  const requestDraining = draining();
  const budget = new EventLoopBudget();
  const loop = loopMonitor(metrics, budget, logger);
  const handler = requestChain({
    ...parts,
    store: storage.store,
    encryptionChecks: storage.encryptionChecks,
    resources,
    registryOf: api.registryOf,
    custom: api.custom,
    aggregator: api.aggregator,
    heavy: api.heavy?.requests,
    shutdown: api.shutdown.notice,
    isReady: () => isReady,
    hooks,
    metrics,
    authorizer: access.authorization.authorizer,
    authentication: access.authentication,
    limits,
    auditing,
    onCancelled: () => feed.fence.raise(),
    draining: requestDraining,
    loop,
  });
  return {
    handler,
    limits,
    hooks,
    draining: requestDraining,
    budget,
    loop,
    setUnready() {
      isReady = false;
    },
    async close() {
      loop.stop();
      // Requests that were just aborted are audited when their connections close.
      await new Promise((resolve) => setImmediate(resolve));
      await auditing?.sink.close();
    },
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
