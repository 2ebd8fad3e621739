import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { isTokenProtocol, type Logger, type Resource, silentLogger } from '@tsukube/apiserver';
import { StatusError, statusBody, stringifyJson } from '@tsukube/machinery';
import type { Store } from '@tsukube/storage';
import { type Listener, listen } from '@tsukube/transport';
import { type ApiServer, createApiServer } from './api-server.ts';
import { serviceAccountTokens } from './authentication/service-account-tokens.ts';
import { openTrust } from './authentication/trust.ts';
import { completeOptions, type GivenOptions, type ServeOptions } from './config/index.ts';
import { type DataDir, takeDataDir } from './files/data-dir.ts';
import { restrictDataDir } from './files/data-dir-permissions.ts';
import { directoryFiles, keepRenewed, memoryFiles, openPki, type Pki, servingHosts, sharedRsaKey } from './pki/index.ts';
import { checkKubeconfigPath, localUrl, renderKubeconfig, writeKubeconfig } from './pki/kubeconfig.ts';
import { servingCertificates } from './pki/serving-certificates.ts';
import { openStore as openStoreOf } from './registries/store.ts';
import { identityOf } from './server-identity.ts';
import type { OffloadOptions } from './worker/heavy-requests.ts';

export interface RunningServer {
  readonly url: string;
  /** The admin kubeconfig as YAML. */
  readonly kubeconfig: string;
  /** The store behind the API. */
  readonly store: Store;
  /** Gives back memory that holds nothing but what can be read from the disk again. Takes about a millisecond. */
  trimMemory(): Promise<void>;
  /** Description of the request that the event loop is busy with. */
  runningRequest(): string | undefined;
  /** Drains: readiness fails first, requests in flight finish, watches end, the store is closed. */
  close(): Promise<void>;
}

export type StartOptions = GivenOptions & {
  readonly logger?: Logger;
  /** Served beside the built-in kinds. */
  readonly resources?: readonly Resource[];
  /** Called when the first client connects, and when the last one is gone. */
  readonly onClients?: (isConnected: boolean) => void;
  readonly offload?: OffloadOptions;
  /** Opens a store of your own in place of the driver that `storage` names. */
  readonly openStore?: () => Promise<Store>;
};

/** A whole API server in this process. */
export async function startServer({
  logger = silentLogger,
  resources = [],
  onClients,
  offload = {},
  openStore,
  ...given
}: StartOptions = {}): Promise<RunningServer> {
  const options = completeOptions(given);
  if (options.kubeconfigOut !== undefined) checkKubeconfigPath(options.kubeconfigOut);
  const dataDir = options.dataDir === undefined ? undefined : takeDataDir(options.dataDir);
  try {
    if (dataDir) restrictDataDir(dataDir.path, logger);
    return await start(options, { resources, offload, dataDir, logger, onClients, openStore });
  } catch (error) {
    dataDir?.release();
    throw error;
  }
}

interface Surroundings extends Pick<StartOptions, 'onClients' | 'openStore'> {
  readonly resources: readonly Resource[];
  readonly offload: OffloadOptions;
  readonly dataDir: DataDir | undefined;
  readonly logger: Logger;
}

async function start(
  options: ServeOptions,
  { resources, offload, dataDir, logger, onClients, openStore }: Surroundings,
): Promise<RunningServer> {
  let listener: Listener | undefined;
  const files = options.certDir === undefined ? memoryFiles() : directoryFiles(options.certDir);
  const pkiOptions = {
    hosts: servingHosts(options.bindAddress, options.advertiseAddress),
    clientKeyAlgorithm: options.clientKeyAlgorithm,
    newRsaKey: options.certDir === undefined ? sharedRsaKey : undefined,
  };
  const url = () => localUrl(options.bindAddress, listener?.address.port ?? options.securePort);
  const kubeconfig = async (pki: Pki) => renderKubeconfig({ url: url(), ca: caBundle(options, pki), client: await pki.admin });
  const publish = async (pki: Pki) => {
    const text = await kubeconfig(pki);
    if (options.kubeconfigOut !== undefined) writeKubeconfig(options.kubeconfigOut, text);
    return text;
  };
  const onPkiError = (error: unknown) => logger.error('certificates could not be renewed', { error: String(error) });
  const renewal = keepRenewed({
    open: () => openPki(files, pkiOptions, new Date()),
    onRenewed(pki) {
      listener?.setSecureContext(certificates.settings());
      publish(pki).catch(onPkiError);
    },
    onError: onPkiError,
  });
  const trust = openTrust(options, renewal.current.ca, () => certificates.refresh(), logger);
  const certificates = servingCertificates({
    options,
    own: () => renewal.current.serving,
    authorities: trust.all,
    onChange: () => listener?.setSecureContext(certificates.settings()),
    logger,
  });
  const store = openStore ? await openStore() : await openStoreOf(options, logger);
  const api = await createApiServer({
    options,
    resources,
    offload,
    store,
    ca: renewal.current.ca,
    serviceAccounts: serviceAccountTokens(options, renewal.current),
    clientAuthorities: trust.clients,
    proxyAuthorities: trust.proxies,
    logger,
    address: () => externalAddress(options, port()),
    checkCertificates: expiryCheck(() => renewal.current),
  });
  const port = () => listener?.address.port ?? options.securePort;
  const startListening = async () => {
    // The key is ready before the first request can be, so that the kubeconfig is written before any is answered.
    await renewal.current.admin;
    return listen({
      host: options.bindAddress,
      port: options.securePort,
      tls: certificates.settings(),
      ...(options.tlsSniCertKey.length > 0 && { contextFor: certificates.forName }),
      reusePort: options.permitPortSharing,
      http2: !options.disableHttp2Serving,
      maxStreamsPerConnection: options.http2MaxStreamsPerConnection || defaultStreams,
      goawayChance: options.goawayChance,
      handle: api.handle,
      budget: api.budget,
      allowsSubprotocol: (protocol) => !isTokenProtocol(protocol),
      connectAnswer: { type: 'application/json', body: stringifyJson(statusBody(StatusError.methodNotAllowed().status)) },
      onHandshakeError: api.onHandshakeError,
      ...(onClients && { onClients }),
      onError: (error) => logger.error('an answer could not be written', { error: String((error as Error)?.stack ?? error) }),
    });
  };
  listener = await startListening().catch(async (error) => {
    await api.close();
    for (const each of [renewal, trust, certificates]) each.stop();
    throw error;
  });
  api.announce(identityOf(options, port()));
  const kubeconfigText = await publish(renewal.current);
  dataDir?.announce(url());
  logger.info('serving', { url: url(), storage: options.storage });
  return {
    url: url(),
    kubeconfig: kubeconfigText,
    store,
    trimMemory: api.trimMemory,
    runningRequest: api.runningRequest,
    close: once(() => stop(options, api, listener as Listener, [renewal, trust, certificates], dataDir, logger)),
  };
}

/** Health checks ask often: a certificate is parsed once. */
function expiryCheck(current: () => Pki): () => void {
  const ends = new Map<string, number>();
  const endOf = (certificate: string) => {
    if (ends.size > 10) ends.clear();
    const end = ends.get(certificate) ?? Date.parse(new X509Certificate(certificate).validTo);
    ends.set(certificate, end);
    return end;
  };
  return () => {
    const { serving, frontProxy } = current();
    for (const { certificate } of [serving, frontProxy.client]) {
      const end = endOf(certificate);
      if (end < Date.now()) throw new Error(`a certificate has expired at ${new Date(end).toUTCString()}`);
    }
  };
}

/** As kube-apiserver does since streams could be used to flood it. */
const defaultStreams = 100;

/** A host without a port is reached at the port that is served. */
function externalAddress({ externalHostname, advertiseAddress }: ServeOptions, port: number): string {
  const host = externalHostname ?? advertiseAddress;
  if (isIPv6(host)) return `[${host}]:${port}`;
  return /:\d+$/.test(host) ? host : `${host}:${port}`;
}

/** What clients must trust: our own authority, or the certificate that was given. */
function caBundle(options: ServeOptions, pki: Pki): string {
  return options.tlsCertFile === undefined ? pki.serverTrust : readFileSync(options.tlsCertFile, 'utf8');
}

async function stop(
  options: ServeOptions,
  api: ApiServer,
  listener: Listener,
  watching: readonly { stop(): void }[],
  dataDir: DataDir | undefined,
  logger: Logger,
): Promise<void> {
  logger.info('draining');
  api.beginShutdown();
  if (options.shutdownDelayDuration > 0) await new Promise((resolve) => setTimeout(resolve, options.shutdownDelayDuration));
  const { shutdownWatchTerminationGracePeriod: grace, requestTimeout } = options;
  const watchesEnded = api.endWatches(grace);
  if (options.shutdownSendRetryAfter) await within(requestTimeout, api.drain());
  await within(Math.max(requestTimeout, grace), Promise.all([listener.close(), watchesEnded]));
  listener.force();
  await api.close();
  for (const each of watching) each.stop();
  dataDir?.release();
  logger.info('stopped');
}

async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([work, timeout]);
  clearTimeout(timer);
}

function once(action: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= action();
    return running;
  };
}
