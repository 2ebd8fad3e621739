import { readFileSync } from 'node:fs';
import type { BackendTls, KubeletMetrics } from '@tsukube/apiserver';
import type { KubeletClientConfig } from '@tsukube/builtin';
import { BoundedCache } from '@tsukube/machinery';
import type { KeyPair } from '@tsukube/machinery/pki';
import type { ServeOptions } from './config/index.ts';

/** How kubelets are reached, by the flags. `own` is the certificate used without `--kubelet-client-certificate`. */
export function kubeletClientConfig(
  options: ServeOptions,
  own: () => KeyPair,
  metrics: () => KubeletMetrics | undefined,
): KubeletClientConfig {
  const files = fileReader();
  const identity = () => {
    const { kubeletClientCertificate: cert, kubeletClientKey: key } = options;
    if (cert !== undefined && key !== undefined) return { cert: files(cert), key: files(key) };
    const { certificate, key: ownKey } = own();
    return { cert: certificate, key: ownKey };
  };
  const tls = (): BackendTls => {
    const { kubeletCertificateAuthority: ca } = options;
    return { ...identity(), ca: ca === undefined ? undefined : files(ca) };
  };
  return {
    addressTypes: options.kubeletPreferredAddressTypes,
    port: options.kubeletPort,
    tls,
    metrics,
  };
}

const freshMs = 10_000;

/** Reads files again after a few seconds, because certificates are renewed in place. */
export function fileReader(now: () => number = Date.now): (path: string) => string {
  const read = new BoundedCache<string, { readonly text: string; readonly at: number }>({ entries: 8 });
  return (path) => {
    const known = read.get(path);
    if (known && now() - known.at < freshMs) return known.text;
    const text = readFileSync(path, 'utf8');
    read.set(path, { text, at: now() });
    return text;
  };
}
