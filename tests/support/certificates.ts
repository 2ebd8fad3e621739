import { generateKeyPairSync } from 'node:crypto';
import { distinguishedName, type Issuer, issueCertificate, keyIdentifier, type Use } from '@tsukube/machinery/pki';

export interface Certificate {
  readonly pem: string;
  readonly key: string;
  readonly issuer: Issuer;
}

export interface CertificateOptions {
  /** Self-signed if absent. */
  readonly issuer?: Certificate;
  /** Days from now. */
  readonly from?: number;
  readonly until?: number;
}

const day = 86_400_000;

/** Creates a certificate with a new key. */
export function certificate(commonName: string, use: Use, options: CertificateOptions = {}): Certificate {
  const { issuer, from = -1, until = 1 } = options;
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const subject = distinguishedName({ commonName });
  const own: Issuer = { subject, key: privateKey, keyIdentifier: keyIdentifier(publicKey) };
  const [notBefore, notAfter] = [new Date(Date.now() + from * day), new Date(Date.now() + until * day)];
  const pem = issueCertificate({ subject, publicKey, notBefore, notAfter, use }, issuer?.issuer ?? own);
  return { pem, key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(), issuer: own };
}

/** The certificates as PEM in base64, the encoding of a caBundle. */
export function caBundle(...certificates: readonly Certificate[]): string {
  return Buffer.from(certificates.map(({ pem }) => pem).join('')).toString('base64');
}
