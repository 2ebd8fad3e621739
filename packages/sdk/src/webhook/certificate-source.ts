import type { ApiAccess } from '../access/api-access.ts';
import { type CertificateStore, memoryStore } from '../certificates/certificate-store.ts';
import { folderStore } from '../certificates/folder-store.ts';
import { secretStore } from '../certificates/secret-store.ts';
import { openWebhookCertificates, type WebhookCertificates } from '../certificates/webhook-certificates.ts';
import type { ServeWebhooksOptions } from './serve-options.ts';

/** Whether certificates are in a Secret, for which an API server is needed. */
export function usesSecret({ certificates, service }: ServeWebhooksOptions): boolean {
  return certificates ? 'secret' in certificates : service !== undefined;
}

/** Returns the current certificates with every call, and renews those that are due. */
export function certificateSource(
  options: ServeWebhooksOptions,
  access: ApiAccess | undefined,
): () => Promise<WebhookCertificates> {
  const { certificates, name, now = () => new Date() } = options;
  if (certificates && 'cert' in certificates) return async () => certificates;
  const store = storeOf(options, access);
  return () => openWebhookCertificates(store, { commonName: name, hosts: hostsOf(options) }, now());
}

function storeOf({ certificates, name, service }: ServeWebhooksOptions, access: ApiAccess | undefined): CertificateStore {
  if (certificates && 'folder' in certificates) return folderStore(certificates.folder);
  const beside = service && { namespace: service.namespace, name: `${name}-webhook` };
  const secret = certificates && 'secret' in certificates ? certificates.secret : beside;
  return access && secret ? secretStore(access, secret) : memoryStore();
}

/** The same for all replicas, which share a certificate. */
function hostsOf({ host, url, service }: ServeWebhooksOptions): string[] {
  const names = service ? [`${service.name}.${service.namespace}.svc`, `${service.name}.${service.namespace}`] : [];
  const isOne = host !== undefined && host !== '0.0.0.0' && host !== '::';
  const bound = isOne && !service ? [host] : [];
  const given = url === undefined ? [] : [new URL(url).hostname.replace(/^\[|\]$/g, '')];
  return [...new Set(['localhost', '127.0.0.1', ...bound, ...given, ...names])];
}
