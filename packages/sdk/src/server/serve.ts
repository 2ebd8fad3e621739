import { join } from 'node:path';
import {
  checkKubeconfigPath,
  draining,
  drainServer,
  type HealthChecks,
  isTokenProtocol,
  type Logger,
  LoopMonitor,
  localUrl,
  type ServerMetrics,
  serveExchange,
  serverMetrics,
  shutdownNotice,
  silentLogger,
  stallLog,
  versionInfo,
  writeKubeconfig,
} from '@tsukube/apiserver';
import { KubeClient } from '@tsukube/client';
import { StatusError, statusBody, stringifyJson } from '@tsukube/machinery';
import { EventLoopBudget, type Listener, listen } from '@tsukube/transport';
import { openAccess } from './access.ts';
import { openCertificates, type ServerCertificates } from './certificates.ts';
import { requestChain } from './chain.ts';
import type { ApiServerOptions, StorageChoice } from './options.ts';
import { checkNames, createRegistries, type Registries } from './registries.ts';
import { openStores, type Stores } from './stores.ts';

export interface RunningApiServer {
  /** https://127.0.0.1:6443 */
  readonly url: string;
  readonly port: number;
  /** CAs that clients must trust, in PEM. */
  readonly ca: string;
  /** The admin kubeconfig as YAML; empty if the server has no own admin. */
  readonly kubeconfig: string;
  /** A client with the rights of the admin kubeconfig. The caller closes it. Rejects if the server has no own admin. */
  client(): Promise<KubeClient>;
  /** Graceful shutdown: readiness fails first, requests in flight finish, watches end, the store is closed. */
  close(): Promise<void>;
}

/** Starts an API server for resources in this process. Rejects if it cannot start; nothing keeps running then. */
export async function serve(options: ApiServerOptions): Promise<RunningApiServer> {
  const { resources, logger = silentLogger, host = '127.0.0.1' } = options;
  checkNames(resources);
  if (options.kubeconfig !== undefined) checkKubeconfigPath(options.kubeconfig);
  const undo: (() => void | Promise<void>)[] = [];
  const unwind = async () => {
    for (const each of undo.splice(0).reverse()) await each();
  };
  try {
    return await start({ ...options, logger, host }, undo, unwind);
  } catch (error) {
    await unwind();
    throw error;
  }
}

type Completed = ApiServerOptions & { readonly logger: Logger; readonly host: string };

async function start(
  options: Completed,
  undo: (() => void | Promise<void>)[],
  unwind: () => Promise<void>,
): Promise<RunningApiServer> {
  const { resources, logger, host } = options;
  let listener: Listener | undefined;
  const url = () => localUrl(host, listener?.address.port ?? 0);
  const refresh = () => listener?.setSecureContext(certificates.settings(access.clientAuthorities()));
  const certificates = await openServerCertificates(options, () => {
    refresh();
    publishKubeconfig(options, certificates, url());
  });
  undo.push(certificates.stop);
  const given = options.authentication ?? [];
  const access = openAccess({
    authentication: Array.isArray(given) ? given : [given],
    authorization: options.authorization,
    ownAuthority: certificates.clientAuthority,
    onChange: refresh,
  });
  undo.push(access.close);
  const stores = await openStores(resources, {
    storage: options.storage ?? 'memory',
    compactionIntervalMs: options.compactionIntervalMs ?? 300_000,
    logger,
  });
  undo.push(stores.close);
  const metrics = serverMetrics(versionInfo, resources);
  undo.push(metrics.close);
  const registries = createRegistries({
    resources,
    stores,
    plugins: options.admissionPlugins ?? [],
    authorizer: access.authorizer,
    metrics,
    logger,
  });
  undo.push(stores.stop, registries.close);
  const budget = new EventLoopBudget();
  const loop = loopMonitor(metrics, budget, logger);
  undo.push(() => loop.stop());
  let isReady = true;
  const shutdown = shutdownNotice();
  const requestDraining = draining();
  const requestTimeout = options.requestTimeoutMs ?? 60_000;
  const handler = requestChain({
    resources,
    registries,
    access,
    metrics,
    checks: healthChecks(options, stores, registries, access.ready, () => isReady),
    shutdown: shutdown.notice,
    draining: requestDraining,
    loop,
    limits: { reads: options.maxReadsInFlight ?? 400, writes: options.maxWritesInFlight ?? 200, timeoutMs: requestTimeout },
    title: options.title ?? 'Tsukube',
    address: () => new URL(url()).host,
    onCancelled: () => {
      for (const { feed } of stores.all) feed.fence.raise();
    },
    logger,
  });
  listener = await listen({
    host,
    port: options.port ?? 6443,
    tls: certificates.settings(access.clientAuthorities()),
    maxStreamsPerConnection: 100,
    handle: serveExchange(handler),
    budget,
    allowsSubprotocol: (protocol) => !isTokenProtocol(protocol),
    connectAnswer: { type: 'application/json', body: stringifyJson(statusBody(StatusError.methodNotAllowed().status)) },
    onHandshakeError: () => metrics.handshakeErrors.increase(),
    onError: (error) => logger.error('response could not be written', { error: String((error as Error)?.stack ?? error) }),
  });
  publishKubeconfig(options, certificates, url());
  logger.info('serving', { url: url() });
  const drain = () =>
    drainServer({
      options: {
        shutdownDelayDuration: options.shutdownDelayMs ?? 0,
        shutdownSendRetryAfter: false,
        shutdownWatchTerminationGracePeriod: 0,
        requestTimeout,
      },
      listener: listener as Listener,
      logger,
      api: {
        beginShutdown() {
          isReady = false;
        },
        withdraw: async () => {},
        endWatches: (spreadMs) => shutdown.begin(spreadMs),
        drain: async () => {},
      },
    });
  let closing: Promise<void> | undefined;
  return {
    url: url(),
    port: listener.address.port,
    ca: certificates.ca(),
    kubeconfig: certificates.kubeconfig(url()),
    async client() {
      const kubeconfig = certificates.kubeconfig(url());
      if (kubeconfig === '') throw new Error('this server has no own admin: it was started with other authentication');
      return KubeClient.load({ kubeconfig });
    },
    close() {
      closing ??= drain()
        .finally(unwind)
        .then(() => logger.info('stopped'));
      return closing;
    },
  };
}

function openServerCertificates(options: Completed, onRenewed: () => void): Promise<ServerCertificates> {
  const { tls, hosts = [], host, logger, certificates = besides(options.storage), admin = !options.authentication } = options;
  return openCertificates({ folder: certificates, host, hosts, given: tls, issuesAdmin: admin }, onRenewed, logger);
}

/** With LMDB, the certificates are in the same folder as the data, so that a kubeconfig stays valid after a restart. */
function besides(storage: StorageChoice | undefined): string | undefined {
  return typeof storage === 'object' && 'lmdb' in storage ? join(storage.lmdb, 'pki') : undefined;
}

function publishKubeconfig({ kubeconfig: path }: ApiServerOptions, certificates: ServerCertificates, url: string): void {
  const text = certificates.kubeconfig(url);
  if (path !== undefined && text !== '') writeKubeconfig(path, text);
}

function healthChecks(
  { readinessChecks = [] }: ApiServerOptions,
  stores: Stores,
  registries: Registries,
  authenticates: () => Promise<void>,
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
  const authentication = { name: 'authentication', check: authenticates };
  return {
    healthz: [ping, storage],
    livez: [ping, storage],
    readyz: [ping, storage, loaded, authentication, ...readinessChecks, shutdown],
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
