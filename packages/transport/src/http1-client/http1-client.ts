import { X509Certificate } from 'node:crypto';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { type ConnectionObserver, OutgoingConnection, type OutgoingExchange } from './outgoing-connection.ts';
import type { Http1Response } from './response-reader.ts';

export interface Http1ClientOptions {
  /** Trust and credentials. A `servername` replaces the one of a destination. */
  readonly tls: ConnectionOptions;
  /** Connections to one destination. Further requests wait. */
  readonly maxSockets: number;
  readonly maxResponseBytes: number;
}

export interface Destination {
  readonly isSecure: boolean;
  readonly host: string;
  readonly port: number;
  /** Name that the certificate is verified for, if it is not `host`. */
  readonly servername: string;
}

export interface Http1Request {
  readonly destination: Destination;
  /** Request line and header fields, with the empty line that ends them. */
  readonly head: string;
  readonly body: string;
  /** Includes the time to connect, and to wait for a connection. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** A request without a response. Has the message of the cause. */
export class OutboundError extends Error {
  readonly timedOut: boolean;
  /** The server's certificate, if the handshake got that far. */
  readonly certificate: X509Certificate | undefined;

  constructor(cause: Error, timedOut = false, certificate?: Buffer) {
    super(cause.message, { cause });
    this.name = cause.name;
    this.timedOut = timedOut;
    this.certificate = certificate && new X509Certificate(certificate);
  }
}

/** Requests that may wait for a connection to one destination. */
const maxWaiting = 10_000;
const keepAliveProbeMs = 30_000;
/** As Go's HTTP client. */
const maxIdleMs = 90_000;
const scanMs = 1000;

/** HTTP/1.1 client that keeps connections alive. Whole requests and responses; redirects are not followed. */
export class Http1Client {
  readonly #options: Http1ClientOptions;
  readonly #pools = new Map<string, ConnectionPool>();
  #scan: NodeJS.Timeout | undefined;

  constructor(options: Http1ClientOptions) {
    this.#options = options;
  }

  /** Resolves with a response of any status. Rejects with OutboundError if there is none in time. */
  send(request: Http1Request): Promise<Http1Response> {
    const { destination, signal } = request;
    if (signal?.aborted) return Promise.reject(new OutboundError(aborted()));
    return new Promise((resolve, reject) => {
      new Call(request, this.#poolOf(destination), resolve, reject).begin();
    });
  }

  /** Closes all connections. Requests in flight are rejected. */
  close(): void {
    for (const pool of this.#pools.values()) pool.close();
    this.#forgetUnused();
  }

  #poolOf(destination: Destination): ConnectionPool {
    const { isSecure, host, port, servername } = destination;
    const key = `${isSecure} ${host} ${port} ${servername}`;
    const known = this.#pools.get(key);
    if (known) return known;
    const pool = new ConnectionPool(destination, this.#options);
    this.#pools.set(key, pool);
    this.#scan ??= setInterval(() => this.#closeOld(), scanMs).unref();
    return pool;
  }

  #closeOld(): void {
    for (const pool of this.#pools.values()) pool.closeIdle(performance.now());
    this.#forgetUnused();
  }

  #forgetUnused(): void {
    for (const [key, pool] of this.#pools) if (pool.isUnused) this.#pools.delete(key);
    if (this.#pools.size > 0) return;
    clearInterval(this.#scan);
    this.#scan = undefined;
  }
}

/** Connections to one destination, and the requests that wait for one. */
class ConnectionPool implements ConnectionObserver {
  readonly #destination: Destination;
  readonly #options: Http1ClientOptions;
  /** The last one used is the last one. */
  readonly #idle: OutgoingConnection[] = [];
  readonly #open = new Set<OutgoingConnection>();
  readonly #waiting = new Set<Call>();
  /** TLS session that the next connection resumes. */
  #session: Buffer | undefined;

  constructor(destination: Destination, options: Http1ClientOptions) {
    this.#destination = destination;
    this.#options = options;
  }

  get isUnused(): boolean {
    return this.#open.size === 0 && this.#waiting.size === 0;
  }

  submit(call: Call): void {
    const idle = this.#idle.pop();
    if (idle) call.startOn(idle);
    else if (this.#open.size < this.#options.maxSockets) call.startOn(this.#connect());
    else if (this.#waiting.size < maxWaiting) this.#waiting.add(call);
    else call.onFailure(new Error('too many requests wait for a connection'));
  }

  withdraw(call: Call): void {
    this.#waiting.delete(call);
  }

  closeIdle(now: number): void {
    for (const connection of [...this.#idle])
      if (now - connection.idleSince >= Math.min(connection.idleLimitMs ?? maxIdleMs, maxIdleMs)) connection.destroy();
  }

  close(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const connection of this.#open) connection.destroy(new Error('the client is closed'));
    for (const call of waiting) call.onFailure(new Error('the client is closed'));
  }

  onIdle(connection: OutgoingConnection): void {
    const [next] = this.#waiting;
    if (next) {
      this.#waiting.delete(next);
      return void next.startOn(connection);
    }
    connection.idleSince = performance.now();
    this.#idle.push(connection);
  }

  onClosed(connection: OutgoingConnection): void {
    this.#open.delete(connection);
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
    const [next] = this.#waiting;
    if (!next) return;
    this.#waiting.delete(next);
    next.startOn(this.#connect());
  }

  #connect(): OutgoingConnection {
    const { isSecure } = this.#destination;
    const socket = isSecure ? this.#connectTls() : connectPlain(this.#target());
    const readyEvent = isSecure ? 'secureConnect' : 'connect';
    const connection = new OutgoingConnection(socket, readyEvent, this, this.#options.maxResponseBytes);
    this.#open.add(connection);
    return connection;
  }

  #target() {
    const { host, port } = this.#destination;
    return { host, port, keepAlive: true, keepAliveInitialDelay: keepAliveProbeMs };
  }

  #connectTls(): Socket {
    const { servername } = this.#destination;
    const socket = connectTls({
      ...this.#target(),
      // SNI does not allow addresses; the certificate is verified for the address then.
      ...(isIP(servername) === 0 && { servername }),
      ALPNProtocols: ['http/1.1'],
      session: this.#session,
      ...this.#options.tls,
    });
    socket.on('session', (session) => {
      this.#session = session;
    });
    socket.on('error', () => {
      this.#session = undefined;
    });
    return socket;
  }
}

/** One request, until it has a response or has failed. */
class Call implements OutgoingExchange {
  readonly head: string;
  readonly body: string;
  readonly #request: Http1Request;
  readonly #pool: ConnectionPool;
  readonly #resolve: (response: Http1Response) => void;
  readonly #reject: (error: OutboundError) => void;
  #connection: OutgoingConnection | undefined;
  #deadline: NodeJS.Timeout | undefined;

  constructor(
    request: Http1Request,
    pool: ConnectionPool,
    resolve: (response: Http1Response) => void,
    reject: (error: OutboundError) => void,
  ) {
    this.head = request.head;
    this.body = request.body;
    this.#request = request;
    this.#pool = pool;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  begin(): void {
    const { timeoutMs, signal } = this.#request;
    this.#deadline = setTimeout(() => this.#giveUp(new Error('the request timed out'), true), timeoutMs);
    signal?.addEventListener('abort', this.#onAbort);
    this.#pool.submit(this);
  }

  startOn(connection: OutgoingConnection): void {
    this.#connection = connection;
    connection.start(this);
  }

  onResponse(response: Http1Response): void {
    this.#settle();
    this.#resolve(response);
  }

  /** The server may close a kept-alive connection while a request is sent. Go repeats such requests too. */
  onFailure(error: Error, connection?: OutgoingConnection, isUnanswered = false): void {
    if (connection?.isReused && isUnanswered && isReset(error)) return void this.#pool.submit(this);
    this.#settle();
    this.#reject(new OutboundError(error, false, connection?.certificate));
  }

  #onAbort = (): void => this.#giveUp(aborted(), false);

  #giveUp(error: Error, timedOut: boolean): void {
    this.#settle();
    this.#pool.withdraw(this);
    this.#connection?.destroy();
    this.#reject(new OutboundError(error, timedOut, this.#connection?.certificate));
  }

  #settle(): void {
    clearTimeout(this.#deadline);
    this.#request.signal?.removeEventListener('abort', this.#onAbort);
  }
}

function isReset({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ECONNRESET' || code === 'EPIPE';
}

function aborted(): Error {
  return Object.assign(new Error('The operation was aborted'), { name: 'AbortError', code: 'ABORT_ERR' });
}
