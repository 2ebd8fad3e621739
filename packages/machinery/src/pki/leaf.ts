import type { X509Certificate } from 'node:crypto';
import type { Authority } from './authority.ts';
import {
  type CertificateSubject,
  distinguishedName,
  isAddress,
  isDue,
  issueCertificate,
  leafLifetime,
  type Use,
  validity,
} from './certificate.ts';
import type { PkiFiles } from './files.ts';
import { certificateOf, type KeyAlgorithm, type KeyPair, keyAlgorithmOf, type NewKey, newKey } from './key-pair.ts';

export interface Leaf {
  /** Base name of its files. */
  readonly name: string;
  readonly subject: CertificateSubject;
  readonly use: Use;
  /** A stored key of another type is not used. */
  readonly algorithm?: KeyAlgorithm;
}

/** Loads a certificate, or issues a new one if it is missing, unusable or due for renewal. */
export function openLeaf(files: PkiFiles, leaf: Leaf, authority: Authority, now: Date): KeyPair {
  return keptLeaf(files, leaf, authority, now) ?? issueLeaf(files, leaf, authority, newKey(), now);
}

/**
 * The stored certificate, or undefined if a new one must be issued. A pair provided by the user is never replaced: a serving
 * certificate is used as it is, an unusable one is rejected.
 */
export function keptLeaf(files: PkiFiles, leaf: Leaf, authority: Authority, now: Date): KeyPair | undefined {
  const certificate = files.read(`${leaf.name}.crt`);
  const key = files.read(`${leaf.name}.key`);
  if (certificate === undefined && key === undefined) return undefined;
  const pair = certificate !== undefined && key !== undefined ? { certificate, key } : undefined;
  if (pair !== undefined && isFit(pair, leaf, authority, now)) return pair;
  return isOwn(files, leaf, pair, authority) ? undefined : foreignLeaf(files, leaf, pair, authority);
}

/** Without a record, as in directories of older versions, certificates issued by the CA count as the server's own. */
function isOwn(files: PkiFiles, { name }: Leaf, pair: KeyPair | undefined, authority: Authority): boolean {
  const known = [`${name}.crt`, `${name}.key`].filter((file) => files.read(file) !== undefined).map(files.isOwn);
  if (known.includes(undefined)) return pair !== undefined && isIssued(certificateOf(pair), authority);
  return !known.includes(false);
}

function foreignLeaf(files: PkiFiles, { name, use }: Leaf, pair: KeyPair | undefined, authority: Authority): KeyPair {
  const [crt, key] = [files.locate(`${name}.crt`), files.locate(`${name}.key`)];
  if (pair === undefined) throw new Error(`${crt} and ${name}.key must be supplied as a pair, or both left out`);
  const certificate = certificateOf(pair);
  if (certificate === undefined) throw new Error(`${crt} and ${name}.key are damaged, or do not belong together`);
  if (use.for === 'server' || isIssued(certificate, authority)) return pair;
  throw new Error(`${crt} was not issued by the authority beside it: remove ${crt} and ${key}, or choose another --cert-dir`);
}

function isFit(kept: KeyPair, leaf: Leaf, authority: Authority, now: Date): boolean {
  const certificate = certificateOf(kept);
  if (certificate === undefined || isDue(certificate, now) || !isIssued(certificate, authority)) return false;
  if (leaf.algorithm !== undefined && leaf.algorithm !== keyAlgorithmOf(certificate.publicKey)) return false;
  return leaf.use.for !== 'server' || coversHosts(certificate, leaf.use.hosts);
}

export function isIssued(certificate: X509Certificate | undefined, authority: Authority): boolean {
  return certificate?.checkIssued(authority.certificate) === true && certificate.verify(authority.certificate.publicKey);
}

export function issueLeaf(
  files: PkiFiles,
  { name, subject, use }: Leaf,
  authority: Authority,
  { publicKey, pem: key }: NewKey,
  now: Date,
): KeyPair {
  const request = { subject: distinguishedName(subject), publicKey, ...validity(now, leafLifetime), use };
  const certificate = issueCertificate(request, authority.issuer());
  files.put(`${name}.key`, key);
  files.put(`${name}.crt`, certificate);
  return { certificate, key };
}

/** Extra names are fine, so that a server that alternates between addresses keeps its certificate. */
function coversHosts(certificate: X509Certificate, hosts: readonly string[]): boolean {
  return hosts.every((host) => (isAddress(host) ? certificate.checkIP(host) : certificate.checkHost(host)) !== undefined);
}
