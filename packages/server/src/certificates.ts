import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { directoryFiles, type Logger, renderKubeconfig, writeKubeconfig } from '@tsukube/apiserver';
import { BoundedCache } from '@tsukube/machinery';
import { type KeyPair, memoryFiles, sharedRsaKey } from '@tsukube/machinery/pki';
import { openTrust, type Trust } from './authentication/trust.ts';
import type { ServeOptions } from './config/index.ts';
import { lockSharedDir } from './files/data-dir.ts';
import { fileReader } from './kubelet-client.ts';
import { keepRenewed, openPki, type Pki, servingHosts } from './pki/pki.ts';
import { type DynamicServingCertificates, servingCertificates } from './pki/serving-certificates.ts';

/** The server's certificates: its own PKI, which is renewed, the trusted CAs and the serving certificates of flags. */
export interface Certificates extends Pick<DynamicServingCertificates, 'settings' | 'forName'> {
  pki(): Pki;
  readonly trust: Trust;
  /** Writes the admin kubeconfig to `--kubeconfig-out`, and returns it. */
  publishKubeconfig(): Promise<string>;
  stop(): void;
}

/** Replicas on one machine may start at the same time with one cert dir: the first creates the files. */
export async function openSharedCertificates(...args: Parameters<typeof openCertificates>): Promise<Certificates> {
  const [{ certDir }] = args;
  const unlock = certDir === undefined ? () => {} : await lockSharedDir(certDir);
  try {
    const certificates = openCertificates(...args);
    certificates.pki().admin.then(unlock, unlock);
    return certificates;
  } catch (error) {
    unlock();
    throw error;
  }
}

/** `onChange` is called when the TLS settings change. */
function openCertificates(options: ServeOptions, url: () => string, onChange: () => void, logger: Logger): Certificates {
  const { certDir } = options;
  const files = certDir === undefined ? memoryFiles() : directoryFiles(certDir);
  const pkiOptions = {
    hosts: servingHosts(options.bindAddress, options.advertiseAddress),
    clientKeyAlgorithm: options.clientKeyAlgorithm,
    newRsaKey: certDir === undefined ? sharedRsaKey : undefined,
  };
  const publish = async (pki: Pki) => {
    const text = renderKubeconfig({ url: url(), ca: caBundle(options, pki), client: await pki.admin });
    if (options.kubeconfigOut !== undefined) writeKubeconfig(options.kubeconfigOut, text);
    return text;
  };
  const onError = (error: unknown) => logger.error('certificate renewal failed', { error: String(error) });
  const renewal = keepRenewed({
    open: () => openPki(files, pkiOptions, new Date()),
    lock: certDir === undefined ? undefined : () => lockSharedDir(certDir),
    onRenewed(pki) {
      onChange();
      publish(pki).catch(onError);
    },
    onError,
  });
  const trust = openTrust(options, renewal.current.ca, () => serving.refresh(), logger);
  const serving = servingCertificates({
    options,
    own: () => renewal.current.serving,
    authorities: trust.all,
    onChange,
    logger,
  });
  return {
    pki: () => renewal.current,
    trust,
    settings: serving.settings,
    forName: serving.forName,
    publishKubeconfig: () => publish(renewal.current),
    stop() {
      for (const each of [renewal, trust, serving]) each.stop();
    },
  };
}

/** CAs that clients must trust: the server's own, or the certificate of `--tls-cert-file`. */
function caBundle(options: ServeOptions, pki: Pki): string {
  return options.tlsCertFile === undefined ? pki.serverTrust : readFileSync(options.tlsCertFile, 'utf8');
}

/** The CA that signs CertificateSigningRequests: that of flags, or the server's own. */
export function signingAuthority(options: ServeOptions, { ca, caKey }: Pki): KeyPair {
  const { clusterSigningCertFile: certificate, clusterSigningKeyFile: key } = options;
  if (certificate === undefined || key === undefined) return { certificate: ca, key: caKey };
  return { certificate: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8') };
}

/** The identity of this server for aggregated API servers. `ca` is undefined if the certificate of flags is not of the own CA. */
export interface FrontProxy {
  readonly ca: string | undefined;
  readonly client: KeyPair;
}

/** The client certificate of flags, or the server's own. */
export function frontProxy(options: ServeOptions, pki: () => Pki): () => FrontProxy {
  const { proxyClientCertFile: certificate, proxyClientKeyFile: key } = options;
  if (certificate === undefined || key === undefined) return () => pki().frontProxy;
  const read = fileReader();
  return () => ({ ca: undefined, client: { certificate: read(certificate), key: read(key) } });
}

const maxExpiries = 10;

/** Throws if the serving or the front-proxy certificate has expired. Parses each certificate once, because health checks run often. */
export function expiryCheck(current: () => Pki): () => void {
  const expiries = new BoundedCache<string, number>({ entries: maxExpiries });
  const expiryOf = (certificate: string) => Date.parse(new X509Certificate(certificate).validTo);
  return () => {
    const { serving, frontProxy } = current();
    for (const { certificate } of [serving, frontProxy.client]) {
      const expiry = expiries.getOrCreate(certificate, expiryOf);
      if (expiry < Date.now()) throw new Error(`a certificate has expired at ${new Date(expiry).toUTCString()}`);
    }
  };
}
