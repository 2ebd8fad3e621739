import type { ApiAccess } from '../access/api-access.ts';
import { type CertificateStore, memoryStore } from './certificate-store.ts';
import { folderStore } from './folder-store.ts';
import { type CertificateSecret, secretStore } from './secret-store.ts';
import { openServingCertificates, type ServingCertificateOptions, type ServingCertificates } from './serving-certificates.ts';

/** Where certificates are: a Secret or a folder, which replicas share and where missing ones are created, or given in PEM. */
export type CertificatePlace = { readonly secret: CertificateSecret } | { readonly folder: string } | ServingCertificates;

export interface CertificateSourceOptions extends ServingCertificateOptions {
  /** In memory if absent, and new with every start. */
  readonly place: CertificatePlace | undefined;
  /** Needed for a Secret. */
  readonly access: ApiAccess | undefined;
  readonly now?: (() => Date) | undefined;
}

/** Returns the current certificates with every call, and renews those that are due. */
export function certificateSource(options: CertificateSourceOptions): () => Promise<ServingCertificates> {
  const { place, access, now = () => new Date() } = options;
  if (place && 'cert' in place) return async () => place;
  const store = storeOf(place, access);
  return () => openServingCertificates(store, options, now());
}

function storeOf(
  place: Exclude<CertificatePlace, ServingCertificates> | undefined,
  access: ApiAccess | undefined,
): CertificateStore {
  if (!place) return memoryStore();
  if ('folder' in place) return folderStore(place.folder);
  if (!access) throw new Error('certificates in a Secret need an API server');
  return secretStore(access, place.secret);
}

/** DNS names of a Service, which the API server verifies. */
export function serviceHosts({ name, namespace }: { readonly name: string; readonly namespace: string }): string[] {
  return [`${name}.${namespace}.svc`, `${name}.${namespace}`];
}
