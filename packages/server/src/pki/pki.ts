import { hostname } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import {
  type Authority,
  certificateOf,
  isIssued,
  issueLeaf,
  type KeyAlgorithm,
  type KeyPair,
  keptLeaf,
  type Leaf,
  type NewKey,
  newKey,
  newRsaKey,
  openAuthority,
  openLeaf,
  type PkiFiles,
  publicKeyOf,
} from '@tsukube/machinery/pki';

/** The server's own keys and certificates in PEM. */
export interface Pki {
  /** CA of the serving certificate and of clients. */
  readonly ca: string;
  readonly caKey: string;
  readonly serving: KeyPair;
  /** CAs for clients: the server's CA, or a serving certificate issued by another. */
  readonly serverTrust: string;
  /**
   * User `admin`, group `system:masters`. A promise, because an RSA key takes time and is needed last. When it resolves, all
   * files are written; it rejects if they cannot be.
   */
  readonly admin: Promise<KeyPair>;
  /** Signs and verifies service account tokens with ES256. */
  readonly serviceAccount: { readonly privateKey: string; readonly publicKey: string };
  readonly frontProxy: { readonly ca: string; readonly client: KeyPair };
  /** Client certificate for kubelets, group `system:masters`. */
  readonly kubeletClient: KeyPair;
}

export interface PkiOptions {
  /** Subject alternative names of the serving certificate. */
  readonly hosts: readonly string[];
  readonly clientKeyAlgorithm: KeyAlgorithm;
  /** Generates RSA keys; by default in the thread pool. */
  readonly newRsaKey?: () => Promise<NewKey>;
}

/** Loads keys and certificates, and creates or renews what is missing, unusable or due. */
export function openPki(files: PkiFiles, options: PkiOptions, now: Date): Pki {
  const ca = openAuthority(files, 'ca', 'tsukube-ca', now);
  const frontProxyCa = openAuthority(files, 'front-proxy-ca', 'tsukube-front-proxy-ca', now);
  const serving = openLeaf(
    files,
    { name: 'apiserver', subject: { commonName: 'kube-apiserver' }, use: { for: 'server', hosts: options.hosts } },
    ca,
    now,
  );
  const frontProxyClient: Leaf = {
    name: 'front-proxy-client',
    subject: { commonName: 'front-proxy-client' },
    use: { for: 'client' },
  };
  const kubeletClient: Leaf = {
    name: 'apiserver-kubelet-client',
    subject: { commonName: 'kube-apiserver-kubelet-client', organizations: ['system:masters'] },
    use: { for: 'client' },
  };
  const pki = {
    ca: ca.pem,
    caKey: ca.key,
    serving,
    serverTrust: isIssued(certificateOf(serving), ca) ? ca.pem : ca.pem + serving.certificate,
    serviceAccount: openServiceAccountKey(files),
    frontProxy: { ca: frontProxyCa.pem, client: openLeaf(files, frontProxyClient, frontProxyCa, now) },
    kubeletClient: openLeaf(files, kubeletClient, ca, now),
  };
  const flushed = files.flush();
  const admin = openAdmin(files, flushed, options, ca, now);
  // Prevents unhandled rejections if the start fails earlier.
  for (const each of [flushed, admin]) each.catch(() => {});
  return { ...pki, admin };
}

async function openAdmin(
  files: PkiFiles,
  flushed: Promise<void>,
  { clientKeyAlgorithm: algorithm, newRsaKey: newRsa = newRsaKey }: PkiOptions,
  ca: Authority,
  now: Date,
): Promise<KeyPair> {
  const subject = { commonName: 'admin', organizations: ['system:masters'] };
  const leaf: Leaf = { name: 'admin', subject, use: { for: 'client' }, algorithm };
  const kept = keptLeaf(files, leaf, ca, now);
  const [key] = await Promise.all([kept ? undefined : algorithm === 'rsa' ? newRsa() : newKey(), flushed]);
  if (kept) return kept;
  const issued = issueLeaf(files, leaf, ca, key as NewKey, now);
  await files.flush();
  return issued;
}

function openServiceAccountKey(files: PkiFiles): Pki['serviceAccount'] {
  const kept = files.read('sa.key');
  if (kept === undefined && files.read('sa.pub') !== undefined && files.isOwn('sa.pub') !== true)
    throw new Error(`${files.locate('sa.pub')} is there without sa.key, and was not made here: remove it, or add its key`);
  const created = kept === undefined ? newKey() : undefined;
  const privateKey = kept ?? (created as NewKey).pem;
  if (kept === undefined) files.put('sa.key', privateKey);
  const publicKey = (kept && files.read('sa.pub')) ?? publicKeyOf(created?.privateKey ?? privateKey);
  if (files.read('sa.pub') !== publicKey) files.put('sa.pub', publicKey);
  return { privateKey, publicKey };
}

const always = [
  'localhost',
  '127.0.0.1',
  '::1',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
];

/** Names and addresses of the serving certificate. */
export function servingHosts(bindAddress: string, advertiseAddress: string): readonly string[] {
  const everywhere = bindAddress === '0.0.0.0' || bindAddress === '::';
  const own = everywhere ? [advertiseAddress, ...hostnameIfUsable()] : [bindAddress, advertiseAddress];
  return [...new Set([...always, ...own])];
}

function hostnameIfUsable(): string[] {
  const name = hostname().toLowerCase();
  return /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(name) ? [name] : [];
}

export interface CertificateRenewal {
  readonly current: Pki;
  /** Checks now instead of at the next interval. */
  check(): Promise<void>;
  stop(): void;
}

export interface RenewalOptions {
  readonly open: () => Pki;
  /** Taken for each renewal: servers that share the files renew them one after the other. */
  readonly lock?: (() => Promise<() => void>) | undefined;
  readonly onRenewed: (pki: Pki) => void;
  readonly onError: (error: unknown) => void;
  readonly intervalMilliseconds?: number;
}

const twelveHours = 12 * 3_600_000;

/** Opens the PKI, and again twice a day to renew certificates that are due. */
export function keepRenewed({
  open,
  lock,
  onRenewed,
  onError,
  intervalMilliseconds = twelveHours,
}: RenewalOptions): CertificateRenewal {
  let current = open();
  const look = async (): Promise<void> => {
    const unlock = await lock?.();
    try {
      const opened = open();
      if (isDeepStrictEqual(await settled(opened), await settled(current))) return;
      current = opened;
      onRenewed(opened);
    } finally {
      unlock?.();
    }
  };
  const check = (): Promise<void> => look().catch(onError);
  const timer = setInterval(() => void check(), intervalMilliseconds).unref();
  return {
    get current() {
      return current;
    },
    check,
    stop: () => clearInterval(timer),
  };
}

async function settled({ admin, ...rest }: Pki): Promise<unknown> {
  return { ...rest, admin: await admin };
}
