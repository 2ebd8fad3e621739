import type { ApiAccess } from '../access/api-access.ts';
import { type CertificatePlace, certificateSource, serviceHosts } from '../certificates/certificate-source.ts';
import type { ServingCertificates } from '../certificates/serving-certificates.ts';
import type { ServeWebhooksOptions } from './serve-options.ts';

/** Whether certificates are in a Secret, for which an API server is needed. */
export function usesSecret({ certificates, service }: ServeWebhooksOptions): boolean {
  return certificates ? 'secret' in certificates : service !== undefined;
}

/** Returns the current certificates with every call, and renews those that are due. */
export function webhookCertificates(
  options: ServeWebhooksOptions,
  access: ApiAccess | undefined,
): () => Promise<ServingCertificates> {
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
