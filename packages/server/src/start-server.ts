import type { ChildProcess } from 'node:child_process';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import {
  type AdmissionPlugin,
  checkKubeconfigPath,
  drainServer,
  isTokenProtocol,
  type Logger,
  localUrl,
  type Resource,
  silentLogger,
} from '@tsukube/apiserver';
import { StatusError, statusBody, stringifyJson } from '@tsukube/machinery';
import type { Store } from '@tsukube/storage';
import { type Listener, listen } from '@tsukube/transport';
import { readPluginConfigurations } from './admission/configuration-file.ts';
import { checkReviewWebhooks } from './admission/review-webhook.ts';
import { checkWebhookCredentials } from './admission/webhook-credentials.ts';
import { type ApiServer, createApiServer } from './api-server.ts';
import { serviceAccountTokens } from './authentication/service-account-tokens.ts';
import { type Certificates, expiryCheck, frontProxy, openSharedCertificates, signingAuthority } from './certificates.ts';
import { completeOptions, type GivenOptions, runsPlugin, type ServeOptions, UsageError } from './config/index.ts';
import { type DataDir, takeDataDir } from './files/data-dir.ts';
import { restrictDataDir } from './files/data-dir-permissions.ts';
import { WorkerProcesses } from './processes/worker-processes.ts';
import type { WriterLink } from './processes/writer-link.ts';
import { dataDirOf, openConfiguredStore } from './registries/store.ts';
import { publishedEndpoint } from './server-endpoint.ts';
import type { OffloadOptions } from './worker/heavy-requests.ts';

export interface RunningServer {
  readonly url: string;
  /** The admin kubeconfig as YAML. */
  readonly kubeconfig: string;
  /** The store behind the API. */
  readonly store: Store;
  /** Releases memory-mapped pages, which can be read from disk again. Takes about a millisecond. */
  trimMemory(): Promise<void>;
  /** Summary of the request that the event loop is executing. */
  runningRequest(): string | undefined;
  /** Graceful shutdown: readiness fails first, requests in flight finish, watches end, the store is closed. */
  close(): Promise<void>;
}

export type StartOptions = GivenOptions & {
  readonly logger?: Logger;
  /** Served in addition to the built-in kinds. */
  readonly resources?: readonly Resource[];
  /** Run behind the built-in plugins. Worker threads are not used then. */
  readonly admissionPlugins?: readonly AdmissionPlugin[];
  /** Called when the first client connects and when the last one disconnects. */
  readonly onClients?: (isConnected: boolean) => void;
  readonly offload?: OffloadOptions;
  /** Opens a custom store instead of the driver of the `storage` option. */
  readonly openStore?: () => Promise<Store>;
  /** Starts a process for `workers`, which runs `startWorker`. It needs an IPC channel and a pipe as file descriptor 4. */
  readonly launchWorker?: () => ChildProcess;
};

/** Starts an API server in this process. */
export async function startServer({
  logger = silentLogger,
  resources = [],
  admissionPlugins = [],
  onClients,
  offload = {},
  openStore,
  launchWorker,
  ...given
}: StartOptions = {}): Promise<RunningServer> {
  const options = completeOptions(given);
  if (options.workers > 1 && (openStore || !launchWorker))
    throw new UsageError('--workers is for the command tsukube serve: in a program, the server is one process');
  if (options.kubeconfigOut !== undefined) checkKubeconfigPath(options.kubeconfigOut);
  const dataDir = options.dataDir === undefined ? undefined : takeDataDir(options.dataDir);
  try {
    if (dataDir) restrictDataDir(dataDir.path, logger);
    const server = { resources, admissionPlugins, offload, dataDir, logger, onClients };
    if (options.workers > 1 && launchWorker) return await startWithWorkers(options, server, launchWorker);
    return await start(options, { ...server, openStore: openStore ?? (() => openConfiguredStore(options, logger)) });
  } catch (error) {
    dataDir?.release();
    throw error;
  }
}

/** Starts the process that writes, and the others. */
async function startWithWorkers(
  options: ServeOptions,
  server: Omit<Surroundings, 'openStore'>,
  launch: () => ChildProcess,
): Promise<RunningServer> {
  const { WriterHost } = await import('@tsukube/storage/lmdb-shared');
  const host = new WriterHost();
  const openStore = async () => {
    const store = await openConfiguredStore(options, server.logger, host);
    host.host(store);
    return store;
  };
  const serveStore = host.serve.bind(host);
  const workers = new WorkerProcesses({ options, launch, serveStore, logger: server.logger });
  return start(options, { ...server, openStore, workers });
}

/** One of the processes that `startServer` has launched. `onLost` is called if it cannot continue without the writing process. */
export async function startWorker(
  link: WriterLink,
  { logger, onClients, onLost }: Pick<StartOptions, 'onClients'> & { logger: Logger; onLost: (error: Error) => void },
): Promise<RunningServer> {
  // The writing process keeps the kubeconfig up to date.
  const options = { ...link.start.options, kubeconfigOut: undefined };
  const { openSharedStore } = await import('@tsukube/storage/lmdb-shared');
  const path = join(dataDirOf(options), 'data');
  const openStore = () => openSharedStore({ path, connection: link.pipe(), onLost, logger });
  const server = { resources: [], admissionPlugins: [], offload: {}, dataDir: undefined, logger, onClients, openStore };
  const started = await start(options, { ...server, link });
  link.ready();
  return started;
}

interface Surroundings extends Pick<StartOptions, 'onClients'> {
  readonly openStore: () => Promise<Store>;
  /** The other processes of this server, if it has any and this one writes. */
  readonly workers?: WorkerProcesses;
  /** The connection to the writing process, in the others. */
  readonly link?: WriterLink;
  readonly resources: readonly Resource[];
  readonly admissionPlugins: readonly AdmissionPlugin[];
  readonly offload: OffloadOptions;
  readonly dataDir: DataDir | undefined;
  readonly logger: Logger;
}

async function start(options: ServeOptions, surroundings: Surroundings): Promise<RunningServer> {
  const { resources, admissionPlugins, offload, dataDir, logger, openStore, workers, link } = surroundings;
  let listener: Listener | undefined;
  const port = () => listener?.address.port ?? options.securePort;
  const url = () => localUrl(options.bindAddress, port());
  const onChange = () => listener?.setSecureContext(certificates.settings());
  const certificates = await openSharedCertificates(options, url, onChange, logger);
  const pluginConfigurations = await readPluginConfigurations(options.admissionControlConfigFile, (name) =>
    runsPlugin(options, name),
  );
  await checkReviewWebhooks(pluginConfigurations);
  await checkWebhookCredentials(pluginConfigurations);
  const store = await openStore();
  const api = await createApiServer({
    options,
    resources,
    admissionPlugins,
    offload,
    store,
    ca: certificates.pki().ca,
    signingAuthority: () => signingAuthority(options, certificates.pki()),
    serviceAccounts: serviceAccountTokens(options, certificates.pki()),
    pluginConfigurations,
    kubeletClient: () => certificates.pki().kubeletClient,
    frontProxy: frontProxy(options, certificates.pki),
    clientAuthorities: certificates.trust.clients,
    proxyAuthorities: certificates.trust.proxies,
    logger,
    address: () => externalAddress(options, port()),
    checkCertificates: expiryCheck(certificates.pki),
    group: workers ?? link,
  }).catch(async (error) => {
    await store.close();
    certificates.stop();
    throw error;
  });
  listener = await startListening(options, api, certificates, surroundings).catch(async (error) => {
    await api.close();
    certificates.stop();
    throw error;
  });
  workers?.start(listener.address);
  api.publish(publishedEndpoint(options, port()));
  const kubeconfig = await certificates.publishKubeconfig();
  dataDir?.publishUrl(url());
  logger.info('serving', { url: url(), storage: options.storage });
  return {
    url: url(),
    kubeconfig,
    store,
    trimMemory: api.trimMemory,
    runningRequest: api.runningRequest,
    close: once(() => stop(options, api, listener as Listener, certificates, surroundings)),
  };
}

async function startListening(
  options: ServeOptions,
  api: ApiServer,
  certificates: Certificates,
  { onClients, logger, workers, link }: Surroundings,
): Promise<Listener> {
  // The kubeconfig is written before the first request is answered, so its key must exist before the port is open.
  await certificates.pki().admin;
  return listen({
    host: options.bindAddress,
    port: options.securePort,
    tls: certificates.settings(),
    ...(options.tlsSniCertKey.length > 0 && { contextFor: certificates.forName }),
    reusePort: options.permitPortSharing,
    ...(workers && { passOn: (socket) => workers.passOn(socket) }),
    ...(link && { incoming: link }),
    http2: !options.disableHttp2Serving,
    maxStreamsPerConnection: options.http2MaxStreamsPerConnection || defaultStreams,
    goawayChance: options.goawayChance,
    handle: api.handle,
    budget: api.budget,
    allowsSubprotocol: (protocol) => !isTokenProtocol(protocol),
    connectAnswer: { type: 'application/json', body: stringifyJson(statusBody(StatusError.methodNotAllowed().status)) },
    onHandshakeError: api.onHandshakeError,
    ...(onClients && { onClients }),
    onError: (error) => logger.error('response could not be written', { error: String((error as Error)?.stack ?? error) }),
  });
}

/** Default of kube-apiserver, against HTTP/2 floods. */
const defaultStreams = 100;

/** Adds the served port to a host without one. */
function externalAddress({ externalHostname, advertiseAddress }: ServeOptions, port: number): string {
  const host = externalHostname ?? advertiseAddress;
  if (isIPv6(host)) return `[${host}]:${port}`;
  return /:\d+$/.test(host) ? host : `${host}:${port}`;
}

async function stop(
  options: ServeOptions,
  api: ApiServer,
  listener: Listener,
  certificates: Certificates,
  { dataDir, logger, workers }: Surroundings,
): Promise<void> {
  const workersStopped = workers?.stop();
  await drainServer({ options, api, listener, logger });
  // Until then, their clients may write.
  await workersStopped;
  await api.close();
  certificates.stop();
  dataDir?.release();
  logger.info('stopped');
}

function once(action: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= action();
    return running;
  };
}
