import type { X509Certificate } from 'node:crypto';
import type { Authority } from './authority.ts';
import { distinguishedName, isAddress, issueCertificate, type Subject, type Use } from './certificate.ts';
import type { PkiFiles } from './files.ts';
import { certificateOf, type KeyPair, newKey } from './key-pair.ts';
import { isDue, leafLifetime, validity } from './lifetime.ts';

export interface Leaf {
  /** Name of its files. */
  readonly name: string;
  readonly subject: Subject;
  readonly use: Use;
}

/** The certificate kept under a name, or a new one if it is missing, unfit or about to expire. */
export function openLeaf(files: PkiFiles, leaf: Leaf, authority: Authority, now: Date): KeyPair {
  const certificate = files.read(`${leaf.name}.crt`);
  const key = files.read(`${leaf.name}.key`);
  const kept = certificate !== undefined && key !== undefined ? { certificate, key } : undefined;
  return kept !== undefined && isFit(kept, leaf, authority, now) ? kept : issue(files, leaf, authority, now);
}

function isFit(kept: KeyPair, leaf: Leaf, authority: Authority, now: Date): boolean {
  const certificate = certificateOf(kept);
  if (certificate === undefined || isDue(certificate, now)) return false;
  if (!certificate.checkIssued(authority.certificate) || !certificate.verify(authority.certificate.publicKey)) return false;
  return leaf.use.for !== 'server' || coversHosts(certificate, leaf.use.hosts);
}

function issue(files: PkiFiles, { name, subject, use }: Leaf, authority: Authority, now: Date): KeyPair {
  const { publicKey, pem: key } = newKey();
  const request = { subject: distinguishedName(subject), publicKey, ...validity(now, leafLifetime), use };
  const certificate = issueCertificate(request, authority.issuer());
  files.put(`${name}.key`, key);
  files.put(`${name}.crt`, certificate);
  return { certificate, key };
}

/** Names that are no longer needed may stay: a server that changes between two addresses needs no new certificate. */
function coversHosts(certificate: X509Certificate, hosts: readonly string[]): boolean {
  return hosts.every((host) => (isAddress(host) ? certificate.checkIP(host) : certificate.checkHost(host)) !== undefined);
}
