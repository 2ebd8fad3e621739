import type { ClusterConfig } from '../config/cluster-config.ts';
import { abortable } from '../timing/timing.ts';
import { connectTls } from './connect.ts';
import { http1Transport } from './http1-transport.ts';
import { Http2ClientConnection, type KeepAlive } from './http2-connection.ts';
import { ConnectionError, type HttpRequest, type HttpResponse, type HttpTransport } from './transport.ts';

export interface TransportOptions extends Partial<KeepAlive> {
  /** TCP and TLS handshake. 10 seconds by default. */
  readonly connectTimeoutMs?: number;
  /** Connections at the same time; each has as many streams as the server allows. 16 by default. */
  readonly maxConnections?: number;
  /** `http/1.1` does not offer HTTP/2. */
  readonly protocol?: 'http/1.1';
}

/** HTTP/2 where the server has it, otherwise HTTP/1.1. Connects on demand, and again after a connection is lost. */
export function clientTransport(config: ClusterConfig, options: TransportOptions = {}): HttpTransport {
  if (config.server.startsWith('http:') || options.protocol === 'http/1.1') return http1Transport(config);
  return new ClientTransport(config, options);
}

class ClientTransport implements HttpTransport {
  readonly #config: ClusterConfig;
  readonly #options: TransportOptions;
  #connections: Http2ClientConnection[] = [];
  #connecting: Promise<void> | undefined;
  /** Set as long as the server speaks HTTP/1.1 only. */
  #http1: HttpTransport | undefined;
  #isClosed = false;

  constructor(config: ClusterConfig, options: TransportOptions) {
    this.#config = config;
    this.#options = options;
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    for (;;) {
      request.signal?.throwIfAborted();
      if (this.#http1) return this.#sendHttp1(this.#http1, request);
      const connection = this.#usable();
      if (connection) return connection.send(request);
      // Others wait for the same connection, and may fill it.
      await abortable(this.#connect(), request.signal);
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const connection of this.#connections) connection.close();
    this.#connections = [];
    this.#http1?.close();
  }

  /** After a failure the protocol is negotiated again: the server may have been replaced. */
  async #sendHttp1(transport: HttpTransport, request: HttpRequest): Promise<HttpResponse> {
    try {
      return await transport.send(request);
    } catch (error) {
      if (error instanceof ConnectionError && this.#http1 === transport) this.#http1 = undefined;
      throw error;
    }
  }

  /** A connection with room; the least used one if no more may be opened. */
  #usable(): Http2ClientConnection | undefined {
    this.#connections = this.#connections.filter(({ isOpen }) => isOpen);
    const free = this.#connections.find(({ hasRoom }) => hasRoom);
    if (free || this.#connections.length < (this.#options.maxConnections ?? 16)) return free;
    return this.#connections.reduce((least, each) => (each.streams < least.streams ? each : least));
  }

  /** Requests that need a connection at the same time share one attempt. */
  #connect(): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error('the client is closed'));
    this.#connecting ??= this.#open().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #open(): Promise<void> {
    const { connectTimeoutMs = 10_000, pingAfterMs = 5_000, pingTimeoutMs = 5_000 } = this.#options;
    const socket = await connectTls(this.#config, connectTimeoutMs);
    if (socket.alpnProtocol !== 'h2') {
      socket.destroy();
      this.#http1 = http1Transport(this.#config);
      return;
    }
    const connection = new Http2ClientConnection(socket, this.#config.server, { pingAfterMs, pingTimeoutMs });
    await connection.ready(connectTimeoutMs);
    if (this.#isClosed) connection.close();
    this.#connections.push(connection);
  }
}
