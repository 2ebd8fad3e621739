import { X509Certificate } from 'node:crypto';

const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Whether a text holds certificates that can be read. */
export function isCaBundle(text: string): boolean {
  const found = text.match(certificate) ?? [];
  return found.length > 0 && found.every(isCertificate);
}

function isCertificate(pem: string): boolean {
  try {
    return Boolean(new X509Certificate(pem));
  } catch {
    return false;
  }
}
