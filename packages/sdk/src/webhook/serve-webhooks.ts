import { type Listener, listen } from '@tsukube/transport';
import type { ApiAccess } from '../access/api-access.ts';
import { clientAccess } from '../access/client-access.ts';
import { type CertificatePlace, certificateSource, serviceHosts } from '../certificates/certificate-source.ts';
import type { ServingCertificates } from '../certificates/serving-certificates.ts';
import type { WebhookTarget } from './configurations.ts';
import { webhookHandler } from './http-handler.ts';
import { type NamedWebhook, nameWebhooks } from './named-webhooks.ts';
import { registrationOf } from './registration.ts';
import type { ServeWebhooksOptions, WebhookServer } from './serve-options.ts';
import type { AdmissionWebhook } from './webhook.ts';

/**
 * Serves webhooks over HTTPS and registers them with the API server. Resolves when both are done; the API server may take a moment
 * until it calls them.
 */
export async function serveWebhooks(
  webhooks: readonly AdmissionWebhook[],
  options: ServeWebhooksOptions,
): Promise<WebhookServer> {
  const named = nameWebhooks(webhooks, options.name);
  const needsAccess = options.register !== false || usesSecret(options);
  const access = needsAccess ? await clientAccess(options.kubeconfig) : undefined;
  try {
    return await start(named, options, access);
  } catch (error) {
    access?.close();
    throw error;
  }
}

const refreshIntervalMs = 3_600_000;

async function start(named: readonly NamedWebhook[], options: ServeWebhooksOptions, access?: ApiAccess): Promise<WebhookServer> {
  const onError = options.onError ?? logError;
  const open = webhookCertificates(options, access);
  const state = { certificates: await open(), isReady: false };
  const listener = await listenFor(named, options, state);
  const { port } = listener.address;
  const url = `https://${urlHost(hostOf(options))}:${port}`;
  const target = targetOf(options, url);
  const content = () => ({ name: options.name, webhooks: named, target, ca: state.certificates.ca });
  const created = options.service?.create ? options.service : undefined;
  const registers = access && options.register !== false;
  const registration = registers ? registrationOf({ access, content, service: created, port }) : undefined;

  const refresh = async (): Promise<void> => {
    state.certificates = await open();
    listener.setSecureContext(tlsOf(state.certificates));
    await registration?.register();
  };
  const timer = setInterval(() => void refresh().catch(onError), refreshIntervalMs).unref();
  const close = once(async () => {
    state.isReady = false;
    clearInterval(timer);
    const leaving = options.unregisterOnClose ? registration?.unregister() : registration?.leave();
    await leaving?.catch(onError);
    await drain(listener, options.shutdownTimeoutMs ?? 10_000);
    access?.close();
  });
  await registration?.register().catch(async (error: unknown) => {
    await close();
    throw error;
  });
  state.isReady = true;
  return {
    url,
    port,
    get ca() {
      return state.certificates.ca;
    },
    paths: named.map(({ path }) => path),
    refresh,
    register: async () => registration?.register(),
    unregister: async () => registration?.unregister(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

interface ServingState {
  readonly certificates: ServingCertificates;
  readonly isReady: boolean;
}

function listenFor(named: readonly NamedWebhook[], options: ServeWebhooksOptions, state: ServingState): Promise<Listener> {
  const onError = options.onError ?? logError;
  const handle = webhookHandler({
    webhooks: new Map(named.map(({ path, webhook }) => [path, webhook])),
    isReady: () => state.isReady,
    onError,
    maxBodyBytes: options.maxBodyBytes ?? 8 << 20,
    maxRequestsInFlight: options.maxRequestsInFlight ?? 500,
  });
  const port = options.port ?? (options.service ? 8443 : 0);
  return listen({
    host: hostOf(options),
    port,
    tls: tlsOf(state.certificates),
    maxStreamsPerConnection: 250,
    handle,
    onError,
  });
}

function hostOf({ host, service }: ServeWebhooksOptions): string {
  return host ?? (service ? '0.0.0.0' : '127.0.0.1');
}

/** A host for clients on this machine: unspecified addresses cannot be connected to on all systems. */
function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

function targetOf({ url, service }: ServeWebhooksOptions, own: string): WebhookTarget {
  if (!service) return { by: 'url', base: url ?? own };
  return { by: 'service', namespace: service.namespace, name: service.name, port: service.port ?? 443 };
}

function tlsOf({ cert, key }: ServingCertificates): { cert: string; key: string; minVersion: 'TLSv1.2' } {
  return { cert, key, minVersion: 'TLSv1.2' };
}

/** Waits for requests in flight, then closes all connections. */
async function drain(listener: Listener, timeoutMs: number): Promise<void> {
  const timer = setTimeout(() => listener.force(), timeoutMs);
  await listener.close();
  clearTimeout(timer);
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}

function logError(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
}

/** Whether certificates are in a Secret, for which an API server is needed. */
function usesSecret({ certificates, service }: ServeWebhooksOptions): boolean {
  return certificates ? 'secret' in certificates : service !== undefined;
}

/** Returns the current certificates with every call, and renews those that are due. */
function webhookCertificates(options: ServeWebhooksOptions, access: ApiAccess | undefined): () => Promise<ServingCertificates> {
  const { name, now } = options;
  return certificateSource({ place: placeOf(options), commonName: name, hosts: hostsOf(options), access, now });
}

function placeOf({ certificates, name, service }: ServeWebhooksOptions): CertificatePlace | undefined {
  return certificates ?? (service && { secret: { namespace: service.namespace, name: `${name}-webhook` } });
}

/** The same for all replicas, which share a certificate. */
function hostsOf({ host, url, service }: ServeWebhooksOptions): string[] {
  const isOne = host !== undefined && host !== '0.0.0.0' && host !== '::';
  const bound = isOne && !service ? [host] : [];
  const given = url === undefined ? [] : [new URL(url).hostname.replace(/^\[|\]$/g, '')];
  return [...new Set(['localhost', '127.0.0.1', ...bound, ...given, ...(service ? serviceHosts(service) : [])])];
}
