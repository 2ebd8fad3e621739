import { readFileSync } from 'node:fs';
import { type Credentials, KubeClient, Metrics } from '@tsukube/client';
import {
  delegatedAuthentication,
  delegatedAuthorization,
  type Logger,
  lineLogger,
  register,
  type ServingCertificate,
  serve,
} from '@tsukube/sdk';
import { clusterObjects } from './api/cluster-objects.ts';
import { metricsResources } from './api/metrics-resources.ts';
import { defaultAddressTypes } from './kubelet/kubelet-address.ts';
import { kubeletClient } from './kubelet/kubelet-client.ts';
import { Scraper } from './scrape/scraper.ts';
import { MetricsStore } from './storage/metrics-store.ts';

export interface MetricsServerOptions {
  /** Path or text. By default `KUBECONFIG`, the pod's service account, or `~/.kube/config`. */
  readonly kubeconfig?: string | undefined;
  /** 0.0.0.0 by default. */
  readonly host?: string;
  /** 4443 by default; 0 takes any free one. */
  readonly port?: number;
  /** The serving certificate; by default one of an own CA, which the APIService names. */
  readonly tls?: ServingCertificate;
  /** Folder of the own CA. In memory by default. */
  readonly certificates?: string | undefined;
  /** The Service in front of this process. By default kube-system/metrics-server. `false` registers nothing. */
  readonly service?: { readonly namespace: string; readonly name: string } | false;
  /** Deletes the registration on close. By default it stays for other replicas and the next start. */
  readonly unregisterOnClose?: boolean;
  /** Time between scrapes. 15 seconds by default. */
  readonly resolutionMs?: number;
  readonly nodeSelector?: string | undefined;
  readonly kubelet?: KubeletOptions;
  readonly logger?: Logger;
}

export interface KubeletOptions {
  /** Files. */
  readonly certificateAuthority?: string | undefined;
  readonly clientCertificate?: string | undefined;
  readonly clientKey?: string | undefined;
  /** PEM of further authorities. */
  readonly ca?: string | undefined;
  readonly insecureTls?: boolean;
  readonly completelyInsecure?: boolean;
  readonly port?: number;
  readonly useNodeStatusPort?: boolean;
  readonly addressTypes?: readonly string[];
  readonly requestTimeoutMs?: number;
}

export interface RunningMetricsServer {
  readonly url: string;
  /** PEM. */
  readonly ca: string;
  /** Resolves when the API server reaches this process. Rejects with the reason if it does not within the timeout. */
  available(timeoutMs?: number): Promise<void>;
  close(): Promise<void>;
}

/** Starts scraping and serving. Rejects if the API server cannot be reached or refuses the registration. */
export async function startMetricsServer(options: MetricsServerOptions = {}): Promise<RunningMetricsServer> {
  const {
    resolutionMs = 15_000,
    logger = lineLogger(),
    service = { namespace: 'kube-system', name: 'metrics-server' },
  } = options;
  const client = await KubeClient.load({ kubeconfig: options.kubeconfig, userAgent: 'tsukube-metrics-server', rateLimit: false });
  const stop = new AbortController();
  const onError = (error: unknown) => logger.warn('watch failed', { error: messageOf(error) });
  const cluster = clusterObjects({ client, nodeSelector: options.nodeSelector, onError });
  const store = new MetricsStore(resolutionMs);
  const metrics = new Metrics();
  const { kubelet = {} } = options;
  const kubelets = kubeletClient({
    ca: authoritiesOf(kubelet, client.config.ca),
    insecure: kubelet.insecureTls ?? false,
    plainHttp: kubelet.completelyInsecure ?? false,
    credentials: credentialsOf(kubelet, client.config.credentials),
  });
  const scraper = new Scraper({
    nodes: () => cluster.nodes.store.values(),
    store,
    kubelets,
    addresses: {
      addressTypes: kubelet.addressTypes ?? defaultAddressTypes,
      port: kubelet.port ?? 10250,
      useNodeStatusPort: kubelet.useNodeStatusPort ?? true,
    },
    resolutionMs,
    requestTimeoutMs: Math.min(kubelet.requestTimeoutMs ?? 10_000, resolutionMs),
    timing: client.timing,
    metrics,
    onFailure: (node, error) => logger.warn('failed to scrape node', { node, error: error.message }),
  });
  const hosts = service ? [`${service.name}.${service.namespace}.svc`] : [];
  const server = await serve({
    resources: metricsResources({ cluster, store, now: () => client.timing.now() }),
    host: options.host ?? '0.0.0.0',
    port: options.port ?? 4443,
    hosts,
    title: 'metrics-server',
    metrics,
    logger,
    ...(options.tls && { tls: options.tls }),
    ...(options.certificates !== undefined && { certificates: options.certificates }),
    authentication: await delegatedAuthentication({ client, onError }),
    authorization: await delegatedAuthorization({ client }),
    livenessChecks: [check('metric-collection-timely', () => scraper.isTimely, 'metric collection did not begin in time')],
    readinessChecks: [
      check('metric-informer-sync', () => cluster.isSynced, 'the caches of Nodes and Pods have not synced'),
      check('metric-storage-ready', () => store.isReady, 'no metrics to serve'),
    ],
  }).catch((error) => {
    client.close();
    throw error;
  });
  const running = cluster.run(stop.signal);
  const scraping = Promise.all([cluster.nodes.synced(stop.signal), cluster.pods.synced(stop.signal)])
    .then(() => scraper.run(stop.signal))
    .catch(() => {});
  const close = async () => {
    stop.abort();
    await registration?.close();
    await server.close();
    await Promise.all([running, scraping]);
    kubelets.close();
    client.close();
  };
  const registration = service
    ? await register({
        client,
        apis: [{ group: 'metrics.k8s.io', version: 'v1beta1', groupPriorityMinimum: 100, versionPriority: 100 }],
        service: isLoopback(options.host) ? { ...service, host: 'localhost' } : service,
        port: server.port,
        ca: () => server.ca,
        unregisterOnClose: options.unregisterOnClose ?? false,
        onError: (error) => logger.warn('registration failed', { error: messageOf(error) }),
      }).catch(async (error) => {
        await closeUnregistered();
        throw error;
      })
    : undefined;
  async function closeUnregistered(): Promise<void> {
    stop.abort();
    await server.close();
    client.close();
  }
  return {
    url: server.url,
    ca: server.ca,
    available: async (timeoutMs) => registration?.available(timeoutMs),
    close,
  };
}

function check(name: string, holds: () => boolean, problem: string) {
  return {
    name,
    check() {
      if (!holds()) throw new Error(problem);
    },
  };
}

function isLoopback(host: string | undefined): boolean {
  return host === '127.0.0.1' || host === '::1' || host === 'localhost';
}

/** As in metrics-server, kubelets are trusted by the CA of the cluster unless another one is given. */
function authoritiesOf({ certificateAuthority, ca }: KubeletOptions, cluster: string | undefined): string | undefined {
  const given = certificateAuthority === undefined ? cluster : readFileSync(certificateAuthority, 'utf8');
  return ca === undefined ? given : [given, ca].filter((each) => each !== undefined).join('\n');
}

function credentialsOf(
  { clientCertificate, clientKey }: KubeletOptions,
  cluster: Credentials | undefined,
): Credentials | undefined {
  if (clientCertificate === undefined || clientKey === undefined) return cluster;
  const certificate = { cert: readFileSync(clientCertificate, 'utf8'), key: readFileSync(clientKey, 'utf8') };
  return {
    authorization: () => cluster?.authorization(),
    certificate: () => certificate,
    refresh: () => cluster?.refresh() ?? false,
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
