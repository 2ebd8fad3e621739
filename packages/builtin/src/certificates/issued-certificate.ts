import { X509Certificate } from 'node:crypto';
import { pemBlocks } from './pem.ts';

/** What is wrong with the certificate that a signer has put into a status. */
export function issuedCertificateProblem(base64: string): string | undefined {
  if (base64 === '') return undefined;
  let count = 0;
  for (const { type, hasHeaders, der } of pemBlocks(Buffer.from(base64, 'base64').toString('latin1'))) {
    count++;
    if (type !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`;
    if (hasHeaders) return 'no PEM block headers are permitted';
    if (!isCertificate(der)) return 'x509: malformed certificate';
  }
  return count === 0 ? 'must contain at least one CERTIFICATE PEM block' : undefined;
}

function isCertificate(der: Buffer): boolean {
  try {
    return new X509Certificate(der).raw.length > 0;
  } catch {
    return false;
  }
}
