import { openAuthority } from './authority.ts';
import type { PkiFiles } from './files.ts';
import { type KeyPair, newKey, publicKeyOf } from './key-pair.ts';
import { openLeaf } from './leaf.ts';

/** The server's own keys and certificates, in PEM form. */
export interface Pki {
  /** Vouches for the serving certificate and for clients. */
  readonly ca: string;
  readonly serving: KeyPair;
  /** User `admin`, group `system:masters`. */
  readonly admin: KeyPair;
  /** Signs and verifies the tokens of service accounts, with ES256. */
  readonly serviceAccount: { readonly privateKey: string; readonly publicKey: string };
  readonly frontProxy: { readonly ca: string; readonly client: KeyPair };
}

/** Reads what is there, and makes or renews what is missing, unfit or about to expire. */
export function openPki(files: PkiFiles, hosts: readonly string[], now: Date): Pki {
  const ca = openAuthority(files, 'ca', 'tsukube-ca', now);
  const frontProxyCa = openAuthority(files, 'front-proxy-ca', 'tsukube-front-proxy-ca', now);
  const pki = {
    ca: ca.pem,
    serving: openLeaf(
      files,
      { name: 'apiserver', subject: { commonName: 'kube-apiserver' }, use: { for: 'server', hosts } },
      ca,
      now,
    ),
    admin: openLeaf(
      files,
      { name: 'admin', subject: { commonName: 'admin', organizations: ['system:masters'] }, use: { for: 'client' } },
      ca,
      now,
    ),
    serviceAccount: openServiceAccountKey(files),
    frontProxy: {
      ca: frontProxyCa.pem,
      client: openLeaf(
        files,
        { name: 'front-proxy-client', subject: { commonName: 'front-proxy-client' }, use: { for: 'client' } },
        frontProxyCa,
        now,
      ),
    },
  };
  files.flush();
  return pki;
}

function openServiceAccountKey(files: PkiFiles): Pki['serviceAccount'] {
  const kept = files.read('sa.key');
  const privateKey = kept ?? newKey().pem;
  if (kept === undefined) files.put('sa.key', privateKey);
  const publicKey = (kept && files.read('sa.pub')) ?? publicKeyOf(privateKey);
  if (files.read('sa.pub') !== publicKey) files.put('sa.pub', publicKey);
  return { privateKey, publicKey };
}
