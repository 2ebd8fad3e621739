import type { TLSSocket } from 'node:tls';
import type { Connection } from './request.ts';

/** What is known of one TLS connection, made once and shared by all its requests. */
export class TlsConnection implements Connection {
  readonly remoteAddress: string;
  /** HTTP/2 streams that are open now. */
  openStreams = 0;
  readonly #socket: TLSSocket;
  #certificates: readonly Buffer[] | undefined;

  constructor(socket: TLSSocket) {
    this.#socket = socket;
    this.remoteAddress = socket.remoteAddress ?? '';
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
  return found;
}

const connections = new WeakMap<object, TlsConnection>();

/** `owner` is the socket, or the HTTP/2 session on top of it. */
export function connectionOf(owner: object, socket: TLSSocket | undefined): TlsConnection {
  let connection = connections.get(owner);
  if (!connection) {
    connection = new TlsConnection(socket as TLSSocket);
    connections.set(owner, connection);
  }
  return connection;
}
