import { hash } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { ClientConnection } from './exchange.ts';

interface Closable {
  /** Finishes the requests in flight, then closes the connection. */
  close(): void;
}

/** One TLS connection, shared by all its requests. */
export class TlsConnection implements ClientConnection {
  readonly remoteAddress: string;
  isUrgent = true;
  isRetired = false;
  readonly #socket: TLSSocket;
  readonly #session: Closable | undefined;
  #certificates: readonly Buffer[] | undefined;

  constructor(socket: TLSSocket, session: Closable | undefined) {
    this.#socket = socket;
    this.#session = session;
    this.remoteAddress = socket.remoteAddress ?? '';
  }

  goAway(): void {
    this.#session?.close();
  }

  retire(): void {
    this.isRetired = true;
    this.goAway();
  }

  get hasTrustedCertificate(): boolean {
    return this.#socket.authorized;
  }

  clientCertificates(): readonly Buffer[] {
    this.#certificates ??= presented(this.#socket);
    return this.#certificates;
  }
}

/** The chain as it was sent. Node links each certificate to its issuer, the topmost to itself. */
function presented(socket: TLSSocket): readonly Buffer[] {
  const found: Buffer[] = [];
  let certificate = socket.getPeerCertificate(true);
  while (certificate?.raw && !found.some((known) => known.equals(certificate.raw))) {
    found.push(certificate.raw);
    certificate = certificate.issuerCertificate;
  }
  return found.length === 0 ? found : whole(found, socket.isSessionReused());
}

/** By the client's certificate. Trimmed to `maxChains`, the oldest first. */
const chains = new Map<string, readonly Buffer[]>();
const maxChains = 1000;

/** A resumed TLS session has only the client's own certificate: the rest of the chain is cached from the full handshake. */
function whole(chain: readonly Buffer[], isResumed: boolean): readonly Buffer[] {
  const id = hash('sha256', chain[0] as Buffer);
  if (isResumed) return chains.get(id) ?? chain;
  if (chain.length === 1) return chain;
  chains.delete(id);
  const [oldest] = chains.keys();
  if (oldest !== undefined && chains.size >= maxChains) chains.delete(oldest);
  chains.set(id, chain);
  return chain;
}

/** One connection for each owner, which keeps it alive: its identity is the key of caches by connection. */
const connections = new WeakMap<object, TlsConnection>();

/** The connection of a protocol that has no session object of its own. */
export function connectionOf(owner: object, socket: TLSSocket | undefined): TlsConnection {
  let connection = connections.get(owner);
  if (!connection) {
    connection = new TlsConnection(socket as TLSSocket, undefined);
    connections.set(owner, connection);
  }
  return connection;
}
