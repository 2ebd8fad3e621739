import { KubeClient, Metrics } from '@tsukube/client';
import {
  delegatedAuthentication,
  delegatedAuthorization,
  type Logger,
  lineLogger,
  type PathHandler,
  register,
  type ServingCertificate,
  serve,
} from '@tsukube/sdk';
import { metricsHandler } from './api/metrics-handler.ts';
import { customGroup, customVersions, externalGroup, externalVersions, parseMetricsPath } from './api/paths.ts';
import { writeHandler } from './api/write-handler.ts';
import { type PrometheusClientOptions, prometheusClient } from './prometheus/prometheus-client.ts';
import { PrometheusProvider } from './prometheus/prometheus-provider.ts';
import { parseRules } from './prometheus/rules.ts';
import { MemoryProvider } from './provider/memory-provider.ts';
import type { MetricsProvider } from './provider/provider.ts';
import { ResourceMapper } from './provider/resource-mapper.ts';

/** Values come from Prometheus, from the write API, or from a provider of the caller. */
export type ProviderChoice =
  | { readonly prometheus: PrometheusClientOptions; readonly rules: string; readonly relistMs?: number }
  | 'written'
  | MetricsProvider;

export interface CustomMetricsServerOptions {
  readonly provider: ProviderChoice;
  /** Path or text. By default `KUBECONFIG`, the pod's service account, or `~/.kube/config`. */
  readonly kubeconfig?: string | undefined;
  /** 0.0.0.0 by default. */
  readonly host?: string;
  /** 6444 by default; 0 takes any free one. */
  readonly port?: number;
  readonly tls?: ServingCertificate;
  /** Folder of the own CA. In memory by default. */
  readonly certificates?: string | undefined;
  /** The Service in front of this process. By default kube-system/custom-metrics-server. `false` registers nothing. */
  readonly service?: { readonly namespace: string; readonly name: string } | false;
  /** Deletes the registration on close. By default it stays for other replicas and the next start. */
  readonly unregisterOnClose?: boolean;
  readonly logger?: Logger;
}

export interface RunningCustomMetricsServer {
  readonly url: string;
  /** PEM. */
  readonly ca: string;
  /** Resolves when the API server reaches this process. Rejects with the reason if it does not within the timeout. */
  available(timeoutMs?: number): Promise<void>;
  close(): Promise<void>;
}

const apis = [
  ...customVersions.map((version, i) => ({
    group: customGroup,
    version,
    groupPriorityMinimum: 100,
    versionPriority: 200 - 100 * i,
  })),
  ...externalVersions.map((version) => ({ group: externalGroup, version, groupPriorityMinimum: 100, versionPriority: 100 })),
];

/** Starts serving. Rejects with RuleError, or if the API server cannot be reached or refuses the registration. */
export async function startCustomMetricsServer(options: CustomMetricsServerOptions): Promise<RunningCustomMetricsServer> {
  const { logger = lineLogger(), service = { namespace: 'kube-system', name: 'custom-metrics-server' } } = options;
  const client = await KubeClient.load({
    kubeconfig: options.kubeconfig,
    userAgent: 'tsukube-custom-metrics-server',
    rateLimit: false,
  });
  const stop = new AbortController();
  const onError = (error: unknown) => logger.warn(messageOf(error));
  const resources = new ResourceMapper(client, onError);
  const closeEarly = async (error: unknown): Promise<never> => {
    stop.abort();
    client.close();
    throw error;
  };
  try {
    const { provider, handlers, running } = openProvider(options.provider, { client, resources, onError, signal: stop.signal });
    const metrics = new Metrics();
    const server = await serve({
      resources: [],
      handlers: [counted(metricsHandler({ provider, resources, client }), metrics), ...handlers],
      host: options.host ?? '0.0.0.0',
      port: options.port ?? 6444,
      hosts: service ? [`${service.name}.${service.namespace}.svc`] : [],
      title: 'custom-metrics-server',
      metrics,
      logger,
      ...(options.tls && { tls: options.tls }),
      ...(options.certificates !== undefined && { certificates: options.certificates }),
      authentication: await delegatedAuthentication({ client, onError }),
      authorization: await delegatedAuthorization({ client }),
      readinessChecks: [{ name: 'provider', check: () => failIf(provider.problem?.()) }],
    });
    const registration = service
      ? await register({
          client,
          apis,
          service: isLoopback(options.host) ? { ...service, host: 'localhost' } : service,
          port: server.port,
          ca: () => server.ca,
          unregisterOnClose: options.unregisterOnClose ?? false,
          onError,
        }).catch(async (error) => {
          await server.close();
          throw error;
        })
      : undefined;
    return {
      url: server.url,
      ca: server.ca,
      available: async (timeoutMs) => registration?.available(timeoutMs),
      async close() {
        stop.abort();
        await registration?.close();
        await server.close();
        await running;
        provider.close?.();
        client.close();
      },
    };
  } catch (error) {
    return closeEarly(error);
  }
}

interface OpenProvider {
  readonly provider: MetricsProvider;
  readonly handlers: readonly PathHandler[];
  readonly running: Promise<void>;
}

interface ProviderParts {
  readonly client: KubeClient;
  readonly resources: ResourceMapper;
  readonly onError: (error: unknown) => void;
  readonly signal: AbortSignal;
}

function openProvider(choice: ProviderChoice, { client, resources, onError, signal }: ProviderParts): OpenProvider {
  const { timing } = client;
  if (choice === 'written') {
    const provider = new MemoryProvider();
    return { provider, handlers: [writeHandler(provider, resources, () => timing.now())], running: Promise.resolve() };
  }
  if (!('prometheus' in choice)) return { provider: choice, handlers: [], running: Promise.resolve() };
  const provider = new PrometheusProvider({
    prometheus: prometheusClient(choice.prometheus),
    rules: parseRules(choice.rules),
    resources,
    timing,
    relistMs: choice.relistMs ?? 60_000,
    onError,
  });
  return { provider, handlers: [], running: provider.run(signal) };
}

/** Counts requests for metrics by their API. */
function counted(handler: PathHandler, metrics: Metrics): PathHandler {
  const requests = metrics.counter('custom_metrics_server_requests_total', 'Requests for metrics, by API.');
  return (request) => {
    const at = parseMetricsPath(request.path)?.at;
    if (at === 'custom' || at === 'external') requests.inc({ api: at });
    return handler(request);
  };
}

function failIf(problem: string | undefined): void {
  if (problem !== undefined) throw new Error(problem);
}

function isLoopback(host: string | undefined): boolean {
  return host === '127.0.0.1' || host === '::1' || host === 'localhost';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
