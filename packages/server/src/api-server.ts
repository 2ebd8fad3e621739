import { join } from 'node:path';
import {
  type CertificatePool,
  draining,
  IncomingRequest,
  type Logger,
  LoopMonitor,
  type ObjectRegistry,
  openFeed,
  type Resource,
  requestSummary,
  type ServerMetrics,
  serverMetrics,
  stallLog,
  storageCorruption,
  storageSize,
} from '@tsukube/apiserver';
import { type FindRegistry, roleRulesOf } from '@tsukube/builtin';
import {
  type Controller,
  type ControllerContext,
  controllerNames,
  isListed,
  type ServerEndpoint,
  startControllers,
  startControlPlane,
} from '@tsukube/controllers';
import { StatusError } from '@tsukube/machinery';
import type { Store } from '@tsukube/storage';
import { type Answer, EventLoopBudget, type Exchange } from '@tsukube/transport';
import { openAuditing } from './audit/auditing.ts';
import { createAuthentication } from './authentication/authenticator.ts';
import type { ServiceAccountTokens } from './authentication/service-account-tokens.ts';
import { createAuthorization } from './authorization/authorization.ts';
import { requestChain, terminated } from './chain.ts';
import { flagsWithoutEffect, type ServeOptions, serviceRanges } from './config/index.ts';
import { configuredEncryption, noEncryptionChecks } from './encryption/index.ts';
import { requestLimits } from './flow-control.ts';
import { PostStartHooks } from './health.ts';
import { createInitialObjects, ensureBootstrapPolicy } from './registries/bootstrap.ts';
import { customApi, resourcesNow } from './registries/custom-api.ts';
import { allResources, createRegistries, watchCaches } from './registries/registries.ts';
import { startCompaction } from './registries/store.ts';
import { authenticationData } from './server-identity.ts';
import { shutdownNotice } from './shutdown.ts';
import { versionInfo } from './version.ts';
import { heavyServing, type OffloadOptions } from './worker/heavy-requests.ts';

export interface ApiServerParts {
  readonly options: ServeOptions;
  /** Served beside the built-in kinds. */
  readonly resources?: readonly Resource[];
  readonly offload?: OffloadOptions;
  readonly store: Store;
  /** Vouches for this server; published to every namespace. */
  readonly ca: string;
  readonly serviceAccounts: ServiceAccountTokens;
  /** Vouch for client certificates. */
  readonly clientAuthorities: () => CertificatePool;
  /** Vouch for proxies that say who somebody is. */
  readonly proxyAuthorities: () => CertificatePool | undefined;
  readonly logger: Logger;
  readonly address: () => string;
  /** Fails if a certificate that is shown to others has expired. */
  readonly checkCertificates: () => void;
}

export interface ApiServer {
  handle(exchange: Exchange): Answer | Promise<Answer>;
  /** It can be reached: what it says of itself in objects is written now. */
  announce(identity: ServerEndpoint): void;
  /** A client that never got as far as a request. */
  onHandshakeError(): void;
  /** Readiness fails from now on. */
  beginShutdown(): void;
  /** Ends all watches, spread evenly over a time. */
  endWatches(spreadMs: number): Promise<void>;
  /** Refuses requests from now on; resolves when those in flight are done. */
  drain(): Promise<void>;
  trimMemory(): Promise<void>;
  runningRequest(): string | undefined;
  /** Time that a turn of the event loop may spend on requests. */
  readonly budget: EventLoopBudget;
  close(): Promise<void>;
}

/** Like kube-apiserver, the server answers first and speaks of itself then. */
const controlPlaneDelayMs = 100;

/** Everything between the transport and the store. */
export async function createApiServer(parts: ApiServerParts): Promise<ApiServer> {
  const { options, logger } = parts;
  const { serviceAccounts } = parts;
  const authentication = await createAuthentication({ ...parts, registryOf: (plural) => findRegistry('', plural) });
  const authorization = createAuthorization(options, logger);
  const roles = roleRulesOf(authorization.rbacIndex);
  const all = allResources(
    options,
    {
      eventTtlSeconds: options.eventTtl / 1000,
      serviceRanges: serviceRanges(options),
      authorizer: authorization.authorizer,
      roles,
      tokenIssuer: serviceAccounts.issuer,
      tokenReviewer: { authenticate: authentication.reviewToken, apiAudiences: serviceAccounts.apiAudiences },
    },
    parts.resources ?? [],
  );
  const resources = all.filter(({ versions }) => versions.length > 0);
  const metrics = serverMetrics(versionInfo, resources);
  const encryption = await configuredEncryption(options, all, metrics, logger);
  const store = encryption?.encrypted(parts.store) ?? parts.store;
  const onFeedError = (error: unknown) => logger.warn('the stream of changes broke off', { error: String(error) });
  const feed = await openFeed(store, `${options.etcdPrefix}/`, onFeedError);
  if (options.storage === 'lmdb') storageSize(metrics.registry, 'lmdb-0', join(options.dataDir as string, 'data'));
  storageCorruption(metrics.registry, store);
  const { registries, services, admissionPlugins } = createRegistries(all, options, {
    openCache: watchCaches(store, feed, metrics),
    store,
    authorizer: authorization.authorizer,
    admissionObserver: metrics.admission,
  });
  const unused = flagsWithoutEffect(options, { controllers: controllerNames, admissionPlugins });
  if (unused.length > 0) logger.warn('flags of kube-apiserver without effect here', { flags: unused.join(' ') });
  const registryOf = (resource: Resource) => registries.get(resource) as ObjectRegistry;
  const shutdown = shutdownNotice();
  const custom = customApi({ resources, registryOf, services, store, feed, shutdown: shutdown.notice, options, logger });
  const heavy = heavyServing({
    registries,
    custom,
    store,
    authorizer: authorization.authorizer,
    roles,
    reviewToken: authentication.reviewToken,
    start: { options, serviceAccountKey: serviceAccounts.privateKey },
    offload: parts.offload ?? {},
    localResources: parts.resources ?? [],
    admissionObserver: metrics.admission,
    logger,
  });
  let ready = true;
  const steps = new PostStartHooks();
  const auditing = await openAuditing(options, metrics, logger);
  const limits = requestLimits({ options, resources, registryOf, custom, metrics, onRefused: terminated(metrics, 429) });
  const requestDraining = draining();
  const budget = new EventLoopBudget();
  const loop = loopMonitor(metrics, budget, logger);
  const handler = requestChain({
    ...parts,
    store,
    encryptionChecks: encryption?.checks ?? noEncryptionChecks,
    resources,
    registryOf,
    custom,
    heavy: heavy?.requests,
    shutdown: shutdown.notice,
    isReady: () => ready,
    steps,
    metrics,
    authorizer: authorization.authorizer,
    authentication,
    limits,
    auditing,
    onCancelled: () => feed.fence.raise(),
    draining: requestDraining,
    loop,
  });
  const everything = resourcesNow(all, custom);
  const fixedContext: ControllerContext = {
    resources: all,
    registryOf: (resource) => registries.get(resource) ?? custom?.registryOf(resource),
    store,
    feed,
    storePrefix: `${options.etcdPrefix}/`,
    collectGarbage: options.enableGarbageCollector,
    controllers: options.controllers,
    ca: parts.ca,
    tokenSigner: serviceAccounts.signer,
    logger,
    now: Date.now,
  };
  const context: ControllerContext = {
    ...fixedContext,
    get resources() {
      return everything();
    },
  };
  const findRegistry: FindRegistry = (group, plural) => services.registryNamed?.(group, plural);
  const initialObjects = createInitialObjects(resources, registryOf);
  const policy = ensureBootstrapPolicy(findRegistry, isListed(options.controllers, 'clusterrole-aggregation-controller'), logger);
  const [flowConfiguration] = await Promise.all([
    limits.begin(context),
    initialObjects,
    policy.ready,
    authorization.start(findRegistry, metrics.authorization),
  ]);
  await custom?.load();
  const controllers: Controller[] = [];
  let closing = false;
  const begin = () => {
    if (closing) return;
    controllers.push(startControllers(context, custom));
    custom?.start();
    steps.taken('controllers');
  };
  steps.taken('feed', async () => {
    if ((await feed.caughtUp()) === false) throw new Error('memory is behind the store');
  });
  for (const name of ['admission', 'metrics', 'resources', 'filters', 'discovery', 'openapi']) steps.taken(name);
  const compact = async (revision: number) => {
    feed.compact(revision);
    await store.compact(revision);
  };
  const stopCompaction = startCompaction({ revision: () => store.revision(), compact }, options.etcdCompactionInterval, logger);
  return {
    handle: (exchange) => handle(exchange, handler),
    announce(identity) {
      const authentication = authenticationData(parts);
      const hooks = startControlPlane({
        ...fixedContext,
        identity,
        store,
        serviceRanges: serviceRanges(options),
        kubernetesService: {
          nodePort: options.kubernetesServiceNodePort,
          endpoints: options.endpointReconcilerType !== 'none',
        },
        authentication,
        delayMs: controlPlaneDelayMs,
      });
      for (const { name, check } of hooks) steps.taken(name, check);
      controllers.push(...hooks);
      // Whoever waits for the server hears of it before the controllers take up what they find.
      setImmediate(begin);
    },
    onHandshakeError: () => metrics.handshakeErrors.increase(),
    beginShutdown: () => {
      ready = false;
    },
    endWatches: (spreadMs) => shutdown.begin(spreadMs),
    drain() {
      requestDraining.begin();
      return requestDraining.drained();
    },
    budget,
    runningRequest: () => loop.running && requestSummary(loop.running),
    trimMemory: async () => store.trim?.(),
    async close() {
      closing = true;
      stopCompaction();
      await heavy?.close();
      authentication.stop();
      for (const controller of controllers) controller.stop();
      custom?.close();
      flowConfiguration.stop();
      policy.stop();
      authorization.stop();
      feed.close();
      metrics.close();
      loop.stop();
      // What was cut off just now is told of when its connection has closed.
      await new Promise((resolve) => setImmediate(resolve));
      await auditing?.sink.close();
      await Promise.all([...registries.values()].map((registry) => registry.cache.close()));
      await store.close();
      encryption?.close();
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

function handle(exchange: Exchange, handler: (request: IncomingRequest) => Answer | Promise<Answer>): Answer | Promise<Answer> {
  let request: IncomingRequest;
  try {
    request = new IncomingRequest(exchange, Date.now());
  } catch {
    const { status } = StatusError.badRequest('the path of the request is not properly encoded');
    return {
      kind: 'bytes',
      status: 400,
      type: 'application/json',
      body: JSON.stringify({ kind: 'Status', apiVersion: 'v1', metadata: {}, ...status }),
    };
  }
  return handler(request);
}
