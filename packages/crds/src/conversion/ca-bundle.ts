import { X509Certificate } from 'node:crypto';
import { certificateBlocks } from '@tsukube/machinery';

/** Whether a text holds certificates that can be read. */
export function isCaBundle(text: string): boolean {
  const found = certificateBlocks(text);
  return found.length > 0 && found.every(isCertificate);
}

function isCertificate(pem: string): boolean {
  try {
    return Boolean(new X509Certificate(pem));
  } catch {
    return false;
  }
}
