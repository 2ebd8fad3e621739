import type { TLSSocket } from 'node:tls';
import type { Connection, User } from './request.ts';

/** What is known of one TLS connection, made once and shared by all its requests. */
export class TlsConnection implements Connection {
  readonly remoteAddress: string;
  user?: User | null;
  /** HTTP/2 streams that are open now. */
  openStreams = 0;
  readonly #socket: TLSSocket;
  #certificate: Buffer | null | undefined;

  constructor(socket: TLSSocket) {
    this.#socket = socket;
    this.remoteAddress = socket.remoteAddress ?? '';
  }

  clientCertificate(): Buffer | undefined {
    if (this.#certificate === undefined) {
      this.#certificate = this.#socket.authorized ? (this.#socket.getPeerCertificate().raw ?? null) : null;
    }
    return this.#certificate ?? undefined;
  }
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
