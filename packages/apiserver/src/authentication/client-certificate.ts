import { X509Certificate } from 'node:crypto';
import { certificateBlocks } from '@tsukube/machinery';
import type { ClientConnection } from '@tsukube/transport';
import type { User } from '../http/api-request.ts';
import {
  type Authenticated,
  type Authenticator,
  type FailedAuthentication,
  type Identification,
  refused,
} from './authenticator.ts';

/** Cached result for a connection, with the validity period of the chain. */
interface Known<T> {
  readonly pool: CertificatePool;
  readonly found: T | FailedAuthentication;
  readonly from: number;
  readonly until: number;
}

const outOfTime = refused('x509: certificate has expired or is not yet valid');

/**
 * Reads a connection's client certificate once, until the trusted CAs change. Undefined without a certificate. The validity
 * period is checked on every call, because connections outlive certificates.
 */
export function certificateCache<T>(
  pool: () => CertificatePool | undefined,
  read: (certificate: Buffer) => T | FailedAuthentication,
  now: () => number,
): (connection: ClientConnection) => T | FailedAuthentication | undefined {
  const memory = new WeakMap<ClientConnection, Known<T>>();
  return (connection) => {
    const trusted = pool();
    if (!trusted) return undefined;
    let known = memory.get(connection);
    if (known?.pool !== trusted) {
      const presented = connection.clientCertificates();
      if (presented.length === 0) return undefined;
      known = findOut(connection, presented, trusted, read);
      memory.set(connection, known);
    }
    const time = now();
    return time < known.from || time > known.until ? outOfTime : known.found;
  };
}

function findOut<T>(
  connection: ClientConnection,
  presented: readonly Buffer[],
  pool: CertificatePool,
  read: (certificate: Buffer) => T | FailedAuthentication,
): Known<T> {
  const refuse = (reason: FailedAuthentication): Known<T> => ({ pool, found: reason, from: 0, until: Number.POSITIVE_INFINITY });
  const chain = verifyChain(presented, pool);
  if ('refused' in chain) return refuse(refused(chain.refused));
  // TLS also verifies path lengths, name constraints and critical extensions.
  if (!connection.hasTrustedCertificate) {
    // The CA may have become trusted after the handshake: only a new connection is verified with it.
    connection.retire();
    return refuse(refused('x509: certificate was not trusted by TLS'));
  }
  return { pool, found: read(presented[0] as Buffer), ...chain };
}

/** Authenticates by client certificate. */
export function certificateAuthenticator(
  pool: () => CertificatePool | undefined,
  userOf: (certificate: Buffer) => User | FailedAuthentication | undefined,
  now: () => number = Date.now,
): Authenticator {
  const nobody = refused('');
  const read = (certificate: Buffer): Authenticated | FailedAuthentication => {
    const user = userOf(certificate);
    if (user === undefined) return nobody;
    return 'refused' in user ? user : { user };
  };
  const remember = certificateCache(pool, read, now);
  return function byCertificate({ exchange }): Identification {
    const found = remember(exchange.connection);
    return found === nobody ? undefined : found;
  };
}

/** The trusted CAs. A new object whenever they change. */
export interface CertificatePool {
  readonly roots: readonly X509Certificate[];
}

/** Parses PEM bundles. Throws if one of them has no certificate. */
export function parseCertificatePool(pems: readonly string[]): CertificatePool {
  return { roots: pems.flatMap(certificatesIn) };
}

function certificatesIn(pem: string): X509Certificate[] {
  const found = certificateBlocks(pem);
  if (found.length === 0) throw new Error('it contains no certificate');
  return found.map((each) => new X509Certificate(each));
}

/** Validity period of a chain, or why it is invalid. */
type ChainVerdict = { readonly from: number; readonly until: number } | { readonly refused: string };

const clientAuth = '1.3.6.1.5.5.7.3.2';
const anyUsage = '2.5.29.37.0';
/** Maximum length of a chain. */
const maxDepth = 8;

/** Verifies the presented chain, leaf first, up to one of the roots. Does not check the time. */
function verifyChain(presented: readonly Buffer[], { roots }: CertificatePool): ChainVerdict {
  try {
    const [leaf, ...intermediates] = presented.slice(0, maxDepth).map((der) => new X509Certificate(der));
    if (leaf === undefined) return { refused: 'no certificate' };
    if (!isForClients(leaf)) return { refused: 'x509: certificate specifies an incompatible key usage' };
    const chain = chainToRoot([leaf], intermediates, roots);
    return chain ? commonValidity(chain) : { refused: 'x509: certificate signed by unknown authority' };
  } catch (error) {
    return { refused: `x509: ${(error as Error).message}` };
  }
}

function isForClients({ keyUsage }: X509Certificate): boolean {
  return keyUsage === undefined || keyUsage.includes(clientAuth) || keyUsage.includes(anyUsage);
}

function chainToRoot(
  chain: readonly X509Certificate[],
  intermediates: readonly X509Certificate[],
  roots: readonly X509Certificate[],
): readonly X509Certificate[] | undefined {
  const last = chain.at(-1) as X509Certificate;
  if (roots.some((root) => root.raw.equals(last.raw))) return chain;
  const root = roots.find((each) => isIssuer(each, last));
  if (root) return [...chain, root];
  if (chain.length >= maxDepth) return undefined;
  const next = intermediates.find((each) => each.ca && !chain.includes(each) && isIssuer(each, last));
  return next && chainToRoot([...chain, next], intermediates, roots);
}

function isIssuer(issuer: X509Certificate, issued: X509Certificate): boolean {
  return issued.checkIssued(issuer) && issued.verify(issuer.publicKey);
}

function commonValidity(chain: readonly X509Certificate[]): ChainVerdict {
  return {
    from: Math.max(...chain.map(({ validFrom }) => Date.parse(validFrom))),
    until: Math.min(...chain.map(({ validTo }) => Date.parse(validTo))),
  };
}
