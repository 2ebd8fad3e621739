import { startCompaction } from '@tsukube/apiserver';
import type { FindRegistry } from '@tsukube/builtin';
import {
  type ControllerContext,
  isListed,
  type PostStartHook,
  type RunningController,
  type ServerEndpoint,
  serverIdentity,
  startControllers,
  startControlPlane,
} from '@tsukube/controllers';
import type { ApiServerParts } from './api-server.ts';
import type { AccessControl, Api, OpenStorage } from './assembly.ts';
import { serviceRanges } from './config/index.ts';
import { createInitialObjects, ensureBootstrapPolicy } from './registries/bootstrap.ts';
import { resourcesNow } from './registries/custom-api.ts';
import type { RequestHandling } from './request-handling.ts';
import { authenticationData } from './server-endpoint.ts';

export interface Background {
  /** Publishes the server's endpoint and starts the controllers. */
  publish(endpoint: ServerEndpoint): void;
  /** Removes this server from the endpoints of the Service kubernetes. Never rejects. */
  withdraw(): Promise<void>;
  /** Stops compaction; controllers that did not start yet do not start any more. */
  beginStop(): void;
  stop(): Promise<void>;
}

/** Delays the controllers that publish the server, so that it answers its first requests sooner. */
const controlPlaneDelayMs = 100;

/** Creates the bootstrap objects and starts everything that runs beside requests. Resolves when requests can be served. */
export async function startBackground(
  parts: ApiServerParts,
  access: AccessControl,
  storage: OpenStorage,
  api: Api,
  { limits, hooks }: RequestHandling,
  findRegistry: FindRegistry,
): Promise<Background> {
  const { options, logger } = parts;
  const { resources, metrics } = storage;
  const { custom } = api;
  const fixedContext = controllerContext(parts, access, storage, api);
  const context = withCustomResources(fixedContext, storage, api);
  const initialObjects = createInitialObjects(resources, api.registryOf);
  const policy = ensureBootstrapPolicy(findRegistry, isListed(options.controllers, 'clusterrole-aggregation-controller'), logger);
  const [flowConfiguration] = await Promise.all([
    limits.begin(context, true),
    initialObjects,
    policy.ready,
    access.authorization.start(findRegistry, metrics.authorization),
  ]);
  await custom?.load();
  const apiServices = findRegistry('apiregistration.k8s.io', 'apiservices');
  if (apiServices) await api.aggregator.start(apiServices);
  completeHooks(hooks, storage);
  const controllers: RunningController[] = [];
  let controlPlane: readonly PostStartHook[] = [];
  const stopCompaction = compaction(parts, storage);
  let isStopping = false;
  const start = (endpoint: ServerEndpoint) => {
    if (isStopping) return;
    controllers.push(startControllers(context, serverIdentity(endpoint), custom));
    custom?.start();
    hooks.complete('controllers');
  };
  return {
    publish(endpoint) {
      controlPlane = startControlPlane({ ...fixedContext, ...controlPlaneOptions(parts), identity: endpoint });
      for (const { name, check } of controlPlane) hooks.complete(name, check);
      hooks.complete('clock', () => {
        for (const { checkReadiness } of controlPlane) checkReadiness?.();
      });
      controllers.push(...controlPlane);
      // Clients that wait for the server are answered before the controllers do their first work.
      setImmediate(start, endpoint);
    },
    async withdraw() {
      const all = await Promise.allSettled(controlPlane.map((hook) => hook.withdraw?.()));
      for (const each of all)
        if (each.status === 'rejected')
          logger.warn('this server could not be removed from the endpoints', { error: String(each.reason) });
    },
    beginStop() {
      isStopping = true;
      stopCompaction();
    },
    async stop() {
      flowConfiguration.stop();
      policy.stop();
      await Promise.all(controllers.map((controller) => controller.stop()));
    },
  };
}

export function controllerContext(
  parts: ApiServerParts,
  { authorization }: AccessControl,
  { all, store, feed }: OpenStorage,
  api: Api,
): ControllerContext {
  const { options, logger, ca, serviceAccounts, signingAuthority } = parts;
  return {
    resources: all,
    registryOf: (resource) => api.registries.get(resource) ?? api.custom?.registryOf(resource),
    store,
    feed,
    storePrefix: `${options.etcdPrefix}/`,
    collectGarbage: options.enableGarbageCollector,
    controllers: options.controllers,
    simulatedNodes: options.simulateNodes,
    ca,
    tokenSigner: serviceAccounts.signer,
    authorizer: authorization.authorizer,
    certificateSigning: { authority: signingAuthority, maxDurationMs: options.clusterSigningDuration },
    probeApiService: api.aggregator.probe,
    requestRemote: api.aggregator.request,
    logger,
    now: Date.now,
  };
}

/** The same context whose resources include the custom ones at any time. */
function withCustomResources(context: ControllerContext, { all }: OpenStorage, { custom }: Api): ControllerContext {
  const current = resourcesNow(all, custom);
  return {
    ...context,
    get resources() {
      return current();
    },
  };
}

/** Marks the hooks that are done when the server is assembled. */
export function completeHooks(hooks: RequestHandling['hooks'], { feed }: OpenStorage): void {
  hooks.complete('feed', async () => {
    if ((await feed.caughtUp()) === false) throw new Error('the watch cache is behind the store');
  });
  for (const name of ['admission', 'metrics', 'resources', 'filters', 'discovery', 'openapi', 'clock']) hooks.complete(name);
}

function controlPlaneOptions(parts: ApiServerParts) {
  const { options } = parts;
  return {
    serviceRanges: serviceRanges(options),
    kubernetesService: {
      nodePort: options.kubernetesServiceNodePort,
      endpoints: options.endpointReconcilerType !== 'none',
    },
    authentication: authenticationData(parts),
    delayMs: controlPlaneDelayMs,
  };
}

function compaction({ options, logger }: ApiServerParts, { store, feed }: OpenStorage): () => void {
  const compact = async (revision: number) => {
    feed.compact(revision);
    await store.compact(revision);
  };
  return startCompaction({ revision: () => store.revision(), compact }, options.etcdCompactionInterval, logger);
}
