import { hash } from 'node:crypto';
import type { ServerHttp2Session } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { Connection } from './request.ts';

/** What is known of one TLS connection, made once and shared by all its requests. */
export class TlsConnection implements Connection {
  readonly remoteAddress: string;
  /** HTTP/2 streams that are open now. */
  openStreams = 0;
  readonly #socket: TLSSocket;
  readonly #session: ServerHttp2Session | undefined;
  #certificates: readonly Buffer[] | undefined;

  constructor(socket: TLSSocket, session: ServerHttp2Session | undefined) {
    this.#socket = socket;
    this.#session = session;
    this.remoteAddress = socket.remoteAddress ?? '';
  }

  takeNoMore(): void {
    if (this.#session && !this.#session.closed) this.#session.close();
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

/** `owner` is the socket, or the HTTP/2 session on top of it. */
export function connectionOf(owner: object, socket: TLSSocket | undefined): TlsConnection {
  let connection = connections.get(owner);
  if (!connection) {
    connection = new TlsConnection(socket as TLSSocket, 'goaway' in owner ? (owner as ServerHttp2Session) : undefined);
    connections.set(owner, connection);
  }
  return connection;
}
