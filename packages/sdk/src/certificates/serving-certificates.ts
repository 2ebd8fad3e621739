import { openAuthority, openLeaf, type PkiFiles } from '@tsukube/machinery/pki';
import type { CertificateStore } from './certificate-store.ts';

/** A serving certificate with its key and the CA that clients verify it with, all in PEM. */
export interface ServingCertificates {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export interface ServingCertificateOptions {
  readonly commonName: string;
  /** Names and addresses of the serving certificate. */
  readonly hosts: readonly string[];
}

const maxAttempts = 5;

/**
 * Loads CA and serving certificate, and creates or renews what is missing, damaged or due: both are renewed after two thirds of
 * their lifetime. The CA keeps its key, so that a bundle with the old certificate still verifies new ones.
 */
export async function openServingCertificates(
  store: CertificateStore,
  { commonName, hosts }: ServingCertificateOptions,
  now: Date,
): Promise<ServingCertificates> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const loaded = await store.load();
    const files = filesOver(loaded.files);
    const authority = openAuthority(files, 'ca', `${commonName}-ca`, now);
    const leaf = openLeaf(files, { name: 'tls', subject: { commonName }, use: { for: 'server', hosts } }, authority, now);
    const isUnchanged = files.changed.size === 0;
    if (isUnchanged || (await store.save(new Map([...loaded.files, ...files.changed]), loaded)))
      return { ca: authority.pem, cert: leaf.certificate, key: leaf.key };
  }
  throw new Error(`the certificates of ${commonName} were changed by others ${maxAttempts} times in a row`);
}

/** Loaded files with changes on top. All of them count as our own: a damaged serving certificate is replaced. */
function filesOver(loaded: ReadonlyMap<string, string>): PkiFiles & { readonly changed: ReadonlyMap<string, string> } {
  const changed = new Map<string, string>();
  return {
    changed,
    locate: (name) => name,
    read: (name) => changed.get(name) ?? loaded.get(name),
    isOwn: () => true,
    put: (name, content) => void changed.set(name, content),
    flush: async () => {},
  };
}
