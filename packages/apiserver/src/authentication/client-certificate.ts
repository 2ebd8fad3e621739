import type { Connection, User } from '../http/request.ts';
import { type Authenticated, type Authenticator, type Identification, type Refused, refused } from './authenticator.ts';
import { type CertificatePool, verifyChain } from './certificate-chain.ts';

/** What was found out of a connection's certificate: who it is of, and between which times that holds. */
interface Known<T> {
  readonly pool: CertificatePool;
  readonly found: T | Refused;
  readonly from: number;
  readonly until: number;
}

const outOfTime = refused('x509: certificate has expired or is not yet valid');

/**
 * What a certificate says of a connection, found out once and kept for as long as the authorities are the same.
 * Undefined where none was presented. The time is looked at each time: connections outlive certificates.
 */
export function certificateMemory<T>(
  pool: () => CertificatePool | undefined,
  read: (certificate: Buffer) => T | Refused,
  now: () => number,
): (connection: Connection) => T | Refused | undefined {
  const memory = new WeakMap<Connection, Known<T>>();
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
  { hasTrustedCertificate }: Connection,
  presented: readonly Buffer[],
  pool: CertificatePool,
  read: (certificate: Buffer) => T | Refused,
): Known<T> {
  const refuse = (reason: Refused): Known<T> => ({ pool, found: reason, from: 0, until: Number.POSITIVE_INFINITY });
  const chain = verifyChain(presented, pool);
  if ('refused' in chain) return refuse(refused(chain.refused));
  // TLS looks at more than we do: lengths of paths, names that an authority is bound to, critical extensions.
  if (!hasTrustedCertificate) return refuse(refused('x509: certificate was not trusted by TLS'));
  return { pool, found: read(presented[0] as Buffer), ...chain };
}

/** The user that a client certificate names. */
export function certificateAuthenticator(
  pool: () => CertificatePool | undefined,
  userOf: (certificate: Buffer) => User | Refused | undefined,
  now: () => number = Date.now,
): Authenticator {
  const nobody = refused('');
  const read = (certificate: Buffer): Authenticated | Refused => {
    const user = userOf(certificate);
    if (user === undefined) return nobody;
    return 'refused' in user ? user : { user };
  };
  const remember = certificateMemory(pool, read, now);
  return function byCertificate({ exchange }): Identification {
    const found = remember(exchange.connection);
    return found === nobody ? undefined : found;
  };
}
