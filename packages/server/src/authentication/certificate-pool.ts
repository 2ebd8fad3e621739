import { X509Certificate } from 'node:crypto';
import type { CertificatePool } from '@tsukube/apiserver';
import { certificateBlocks } from '@tsukube/machinery';

/** The authorities of PEM texts, each of which may hold several. Fails if one of them holds none. */
export function certificatePool(pems: readonly string[]): CertificatePool {
  return { roots: pems.flatMap(certificatesIn) };
}

function certificatesIn(pem: string): X509Certificate[] {
  const found = certificateBlocks(pem);
  if (found.length === 0) throw new Error('there is no certificate in it');
  return found.map((each) => new X509Certificate(each));
}
