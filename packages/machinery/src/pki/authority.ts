import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import {
  authorityLifetime,
  distinguishedName,
  type Issuer,
  isDue,
  issueCertificate,
  keyIdentifier,
  readCertificate,
  validity,
} from './certificate.ts';
import type { PkiFiles } from './files.ts';
import { certificateOf, type KeyPair, newKey } from './key-pair.ts';

/** A CA with its private key. */
export interface Authority {
  readonly pem: string;
  /** The private key in PEM. */
  readonly key: string;
  readonly certificate: X509Certificate;
  issuer(): Issuer;
}

/**
 * Loads a CA, or creates it. Renewal keeps key and subject, so that clients that trust the old certificate trust the new one. An
 * incomplete or damaged CA is rejected and not replaced, because a new one would lock out all clients. A CA that was provided by
 * the user is not renewed.
 */
export function openAuthority(files: PkiFiles, name: string, commonName: string, now: Date): Authority {
  const kept = readKept(files, name);
  if (kept === undefined) return create(files, name, commonName, now);
  const certificate = certificateOf(kept);
  if (certificate === undefined) {
    throw new Error(`${files.locate(`${name}.crt`)} and ${name}.key are damaged, or do not belong together`);
  }
  const issuer = (): Issuer => issuerOf(certificate, kept.key);
  if (isDue(certificate, now) && isSelfSigned(certificate) && files.isOwn(`${name}.crt`) !== false)
    return renew(files, name, issuer(), kept.key, now);
  return { pem: kept.certificate, key: kept.key, certificate, issuer };
}

function readKept(files: PkiFiles, name: string): KeyPair | undefined {
  const certificate = files.read(`${name}.crt`);
  const key = files.read(`${name}.key`);
  // A crash may leave the key without its certificate, because the key is written first.
  if (certificate === undefined) return undefined;
  if (key === undefined) throw new Error(`${files.locate(`${name}.key`)} is missing: ${name}.crt cannot sign without it`);
  return { certificate, key };
}

function create(files: PkiFiles, name: string, commonName: string, now: Date): Authority {
  const pem = files.read(`${name}.key`) ?? createKey(files, name);
  const key = createPrivateKey(pem);
  const subject = distinguishedName({ commonName });
  return renew(files, name, { subject, key, keyIdentifier: keyIdentifier(createPublicKey(key)) }, pem, now);
}

function createKey(files: PkiFiles, name: string): string {
  const { pem } = newKey();
  files.put(`${name}.key`, pem);
  return pem;
}

function renew(files: PkiFiles, name: string, issuer: Issuer, key: string, now: Date): Authority {
  const publicKey = createPublicKey(issuer.key);
  const lifetime = validity(now, authorityLifetime);
  const pem = issueCertificate({ subject: issuer.subject, publicKey, ...lifetime, use: { for: 'authority' } }, issuer);
  files.put(`${name}.crt`, pem);
  return { pem, key, certificate: new X509Certificate(pem), issuer: () => issuer };
}

/** The issuer of a CA certificate with its private key in PEM. */
export function issuerOf(certificate: X509Certificate, key: string): Issuer {
  const fields = readCertificate(certificate.raw);
  return { subject: fields.subject.bytes, keyIdentifier: fields.keyIdentifier, key: createPrivateKey(key) };
}

/** A CA signed by another is renewed by its issuer. */
function isSelfSigned(certificate: X509Certificate): boolean {
  return certificate.verify(certificate.publicKey);
}
