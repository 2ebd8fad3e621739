import type { FindRegistry } from '@tsukube/builtin';
import {
  type Controller,
  type ControllerContext,
  isListed,
  type ServerEndpoint,
  startControllers,
  startControlPlane,
} from '@tsukube/controllers';
import type { ApiServerParts } from './api-server.ts';
import type { AccessControl, Api, OpenStorage } from './assembly.ts';
import { serviceRanges } from './config/index.ts';
import { createInitialObjects, ensureBootstrapPolicy } from './registries/bootstrap.ts';
import { resourcesNow } from './registries/custom-api.ts';
import { startCompaction } from './registries/store.ts';
import type { RequestHandling } from './request-handling.ts';
import { authenticationData } from './server-endpoint.ts';

export interface Background {
  /** Publishes the server's endpoint and starts the controllers. */
  publish(endpoint: ServerEndpoint): void;
  /** Stops compaction; controllers that did not start yet do not start any more. */
  beginStop(): void;
  stop(): void;
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
  const fixedContext = controllerContext(parts, storage, api);
  const context = withCustomResources(fixedContext, storage, api);
  const initialObjects = createInitialObjects(resources, api.registryOf);
  const policy = ensureBootstrapPolicy(findRegistry, isListed(options.controllers, 'clusterrole-aggregation-controller'), logger);
  const [flowConfiguration] = await Promise.all([
    limits.begin(context),
    initialObjects,
    policy.ready,
    access.authorization.start(findRegistry, metrics.authorization),
  ]);
  await custom?.load();
  completeHooks(hooks, storage);
  const controllers: Controller[] = [];
  const stopCompaction = compaction(parts, storage);
  let isStopping = false;
  const start = () => {
    if (isStopping) return;
    controllers.push(startControllers(context, custom));
    custom?.start();
    hooks.complete('controllers');
  };
  return {
    publish(endpoint) {
      const started = startControlPlane({ ...fixedContext, ...controlPlaneOptions(parts), identity: endpoint });
      for (const { name, check } of started) hooks.complete(name, check);
      controllers.push(...started);
      // Clients that wait for the server are answered before the controllers do their first work.
      setImmediate(start);
    },
    beginStop() {
      isStopping = true;
      stopCompaction();
    },
    stop() {
      for (const controller of controllers) controller.stop();
      flowConfiguration.stop();
      policy.stop();
    },
  };
}

function controllerContext(parts: ApiServerParts, { all, store, feed }: OpenStorage, api: Api): ControllerContext {
  const { options, logger, ca, serviceAccounts } = parts;
  return {
    resources: all,
    registryOf: (resource) => api.registries.get(resource) ?? api.custom?.registryOf(resource),
    store,
    feed,
    storePrefix: `${options.etcdPrefix}/`,
    collectGarbage: options.enableGarbageCollector,
    controllers: options.controllers,
    ca,
    tokenSigner: serviceAccounts.signer,
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
function completeHooks(hooks: RequestHandling['hooks'], { feed }: OpenStorage): void {
  hooks.complete('feed', async () => {
    if ((await feed.caughtUp()) === false) throw new Error('the watch cache is behind the store');
  });
  for (const name of ['admission', 'metrics', 'resources', 'filters', 'discovery', 'openapi']) hooks.complete(name);
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
