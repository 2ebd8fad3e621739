import { hash } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { ClientConnection } from './exchange.ts';

/** A session that carries many requests at a time. */
export interface Closable {
  /** Finishes what is under way, and ends the connection. */
  close(): void;
}

/** What is known of one TLS connection, made once and shared by all its requests. */
export class TlsConnection implements ClientConnection {
  readonly remoteAddress: string;
  isUrgent = true;
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

  get hasTrustedCertificate(): boolean {
    return this.#socket.authorized;
  }

  clientCertificates(): readonly Buffer[] {
    this.#certificates ??= presented(this.#socket);
    return this.#certificates;
  }
}

/** The chain as it was sent. Each certificate names the one above it, the topmost itself. */
function presented(socket: TLSSocket): readonly Buffer[] {
  const found: Buffer[] = [];
  let certificate = socket.getPeerCertificate(true);
  while (certificate?.raw && !found.some((known) => known.equals(certificate.raw))) {
    found.push(certificate.raw);
    certificate = certificate.issuerCertificate;
  }
  return found.length === 0 ? found : whole(found, socket.isSessionReused());
}

const chains = new Map<string, readonly Buffer[]>();
const maxChains = 1000;

/** A session that is resumed knows the client's own certificate only: what came with it is remembered from the first time. */
function whole(chain: readonly Buffer[], isResumed: boolean): readonly Buffer[] {
  const id = hash('sha256', chain[0] as Buffer);
  if (isResumed) return chains.get(id) ?? chain;
  if (chain.length === 1) return chain;
  chains.delete(id);
  if (chains.size >= maxChains) chains.delete(chains.keys().next().value as string);
  chains.set(id, chain);
  return chain;
}

const connections = new WeakMap<object, TlsConnection>();

/** For protocols that have the socket to themselves. */
export function connectionOf(owner: object, socket: TLSSocket | undefined): TlsConnection {
  let connection = connections.get(owner);
  if (!connection) {
    connection = new TlsConnection(socket as TLSSocket, undefined);
    connections.set(owner, connection);
  }
  return connection;
}
