import { hostname } from 'node:os';
import type { SecureContextOptions } from 'node:tls';
import { directoryFiles, type Logger, renderKubeconfig } from '@tsukube/apiserver';
import { type KeyPair, memoryFiles, openAuthority, openLeaf, type PkiFiles } from '@tsukube/machinery/pki';

/** A serving certificate and its key in PEM. */
export interface ServingCertificate {
  readonly cert: string;
  readonly key: string;
  /** CAs that clients verify it with; the certificate itself by default. */
  readonly ca?: string;
}

/** A serving certificate that others renew. */
export interface RenewedCertificate {
  current(): ServingCertificate;
  /** Calls back when `current` has changed. The returned function unsubscribes. */
  onChange(listener: () => void): () => void;
}

export interface CertificateOptions {
  /** The folder of keys and certificates, which is created. In memory without it: a new CA at every start. */
  readonly folder: string | undefined;
  readonly host: string;
  /** Further names and addresses of the serving certificate. */
  readonly hosts: readonly string[];
  readonly given: ServingCertificate | (() => ServingCertificate) | RenewedCertificate | undefined;
  /** Whether clients may authenticate by a certificate of the server's own CA. */
  readonly issuesAdmin: boolean;
}

/** The certificates of an API server. Renewed while it runs. */
export interface ServerCertificates {
  /** CAs that clients must trust, in PEM. */
  ca(): string;
  /** The CA of client certificates; undefined if there is none. */
  clientAuthority(): string | undefined;
  settings(clientAuthorities: readonly string[]): SecureContextOptions;
  /** The admin kubeconfig; without credentials if the server has no client CA. */
  kubeconfig(url: string): string;
  stop(): void;
}

interface Opened {
  readonly ca: string;
  readonly serving: KeyPair;
  readonly admin: KeyPair | undefined;
}

const renewalMs = 12 * 3_600_000;

/** Opens or creates the certificates. Calls back when they were renewed. */
export async function openCertificates(
  options: CertificateOptions,
  onRenewed: () => void,
  logger: Logger,
): Promise<ServerCertificates> {
  const files = options.folder === undefined ? memoryFiles() : directoryFiles(options.folder);
  let current = await opened(files, options);
  const renew = async () => {
    const fresh = await opened(files, options);
    if (fresh.serving.certificate === current.serving.certificate && fresh.admin?.certificate === current.admin?.certificate)
      return;
    current = fresh;
    onRenewed();
  };
  const tryRenewal = () => {
    renew().catch((error) => logger.error('certificate renewal failed', { error: String(error) }));
  };
  const timer = setInterval(tryRenewal, renewalMs).unref();
  const unsubscribe =
    typeof options.given === 'object' && 'onChange' in options.given ? options.given.onChange(tryRenewal) : () => {};
  return {
    ca: () => current.ca,
    clientAuthority: () => (current.admin ? current.ca : undefined),
    settings: (authorities) => ({
      cert: current.serving.certificate,
      key: current.serving.key,
      ca: [...authorities],
      minVersion: 'TLSv1.2',
    }),
    kubeconfig: (url) => (current.admin ? renderKubeconfig({ url, ca: current.ca, client: current.admin }) : ''),
    stop() {
      clearInterval(timer);
      unsubscribe();
    },
  };
}

async function opened(files: PkiFiles, { given, host, hosts, issuesAdmin }: CertificateOptions): Promise<Opened> {
  const certificate = currentOf(given);
  if (certificate && !issuesAdmin)
    return {
      ca: certificate.ca ?? certificate.cert,
      serving: { certificate: certificate.cert, key: certificate.key },
      admin: undefined,
    };
  const now = new Date();
  const authority = openAuthority(files, 'ca', 'tsukube-sdk-ca', now);
  const serving = certificate
    ? { certificate: certificate.cert, key: certificate.key }
    : openLeaf(
        files,
        { name: 'apiserver', subject: { commonName: 'apiserver' }, use: { for: 'server', hosts: servingHosts(host, hosts) } },
        authority,
        now,
      );
  const subject = { commonName: 'admin', organizations: ['system:masters'] };
  const admin = issuesAdmin ? openLeaf(files, { name: 'admin', subject, use: { for: 'client' } }, authority, now) : undefined;
  await files.flush();
  return { ca: certificate ? (certificate.ca ?? certificate.cert) + authority.pem : authority.pem, serving, admin };
}

function currentOf(given: CertificateOptions['given']): ServingCertificate | undefined {
  if (typeof given === 'function') return given();
  return given && 'current' in given ? given.current() : given;
}

function servingHosts(host: string, more: readonly string[]): readonly string[] {
  const isEverywhere = host === '0.0.0.0' || host === '::';
  const name = hostname().toLowerCase();
  const own = isEverywhere ? (/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(name) ? [name] : []) : [host];
  return [...new Set(['localhost', '127.0.0.1', '::1', ...own, ...more])];
}
