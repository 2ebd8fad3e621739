import { join } from 'node:path';
import {
  checkKubeconfigPath,
  drainServer,
  isTokenProtocol,
  type Logger,
  localUrl,
  serveExchange,
  silentLogger,
  writeKubeconfig,
} from '@tsukube/apiserver';
import { KubeClient } from '@tsukube/client';
import { StatusError, statusBody, stringifyJson } from '@tsukube/machinery';
import { type Listener, listen } from '@tsukube/transport';
import { openAccess } from './access.ts';
import { openCertificates, type ServerCertificates } from './certificates.ts';
import type { ApiServerOptions, StorageChoice } from './options.ts';
import { checkNames } from './registries.ts';
import { createGenericRequestHandling, defaultTimeoutMs, type GenericRequestHandling } from './request-handling.ts';
import { openStores } from './stores.ts';

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
    for (const each of undo.splice(0).reverse())
      await Promise.resolve()
        .then(each)
        .catch((error) => logger.error('a part of the server could not be closed', { error: String(error) }));
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
  const handling = createGenericRequestHandling({ ...options, access, stores, address: () => new URL(url()).host });
  undo.push(stores.stop, handling.close);
  listener = await listen({
    host,
    port: options.port ?? 6443,
    tls: certificates.settings(access.clientAuthorities()),
    maxStreamsPerConnection: 100,
    handle: serveExchange(handling.handler),
    budget: handling.budget,
    allowsSubprotocol: (protocol) => !isTokenProtocol(protocol),
    connectAnswer: { type: 'application/json', body: stringifyJson(statusBody(StatusError.methodNotAllowed().status)) },
    onHandshakeError: handling.onHandshakeError,
    onError: (error) => logger.error('response could not be written', { error: String((error as Error)?.stack ?? error) }),
  });
  const opened = listener;
  undo.push(() => closeListener(opened));
  publishKubeconfig(options, certificates, url());
  logger.info('serving', { url: url() });
  let closing: Promise<void> | undefined;
  return {
    url: url(),
    port: opened.address.port,
    ca: certificates.ca(),
    kubeconfig: certificates.kubeconfig(url()),
    async client() {
      const kubeconfig = certificates.kubeconfig(url());
      if (kubeconfig === '') throw new Error('this server has no own admin: it was started with other authentication');
      return KubeClient.load({ kubeconfig });
    },
    close() {
      closing ??= drain(options, opened, handling)
        .finally(unwind)
        .then(() => logger.info('stopped'));
      return closing;
    },
  };
}

/** In the order of kube-apiserver. Bounded by the deadline of requests. */
function drain(options: Completed, listener: Listener, handling: GenericRequestHandling): Promise<void> {
  return drainServer({
    options: {
      shutdownDelayDuration: options.shutdownDelayMs ?? 0,
      shutdownSendRetryAfter: false,
      shutdownWatchTerminationGracePeriod: 0,
      requestTimeout: options.requestTimeoutMs ?? defaultTimeoutMs,
    },
    listener,
    logger: options.logger,
    api: {
      beginShutdown: handling.setUnready,
      withdraw: async () => {},
      endWatches: handling.endWatches,
      drain: async () => {},
    },
  });
}

/** Does nothing after `drain`. */
function closeListener(listener: Listener): void {
  listener.close().catch(() => {});
  listener.force();
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
