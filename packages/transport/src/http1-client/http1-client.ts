import { X509Certificate } from 'node:crypto';
import type { Readable } from 'node:stream';
import { ConnectionPool, type Destination, type PooledCall, type PoolOptions } from './connection-pool.ts';
import type { OpenResponse, OutgoingConnection } from './outgoing-connection.ts';
import type { Http1Response } from './response-reader.ts';

interface CommonRequest {
  readonly destination: Destination;
  /** Request line and header fields, with the empty line that ends them. */
  readonly head: string;
  readonly signal?: AbortSignal | undefined;
}

export interface Http1Request extends CommonRequest {
  readonly body: string;
  /** Includes the time to connect, and to wait for a connection. */
  readonly timeoutMs: number;
}

/** A request whose body and response are streamed. */
export interface StreamedRequest extends CommonRequest {
  /** Undefined without a body. */
  readonly body: Readable | undefined;
  /** Whether the head announces the body in chunks. */
  readonly isChunked: boolean;
  readonly isHead: boolean;
  /** For the connection only: the response may be a long time coming. */
  readonly connectTimeoutMs: number;
}

/** The body is a Buffer if it arrived together with the head. */
export type StreamedResponse = Http1Response | OpenResponse;

/** A request without a response. Has the message of the cause. */
export class OutboundError extends Error {
  readonly timedOut: boolean;
  /** The server's certificate, if the handshake got that far. */
  readonly certificate: X509Certificate | undefined;
  /** Whether the server was reached, so that it may have received the request. */
  readonly wasConnected: boolean;

  constructor(cause: Error, timedOut = false, certificate?: Buffer, wasConnected = false) {
    super(cause.message, { cause });
    this.name = cause.name;
    this.timedOut = timedOut;
    this.certificate = certificate && new X509Certificate(certificate);
    this.wasConnected = wasConnected;
  }
}

const scanMs = 1000;

/** HTTP/1.1 client that keeps connections alive. Redirects are not followed. */
export class Http1Client {
  readonly #options: PoolOptions;
  readonly #pools = new Map<string, ConnectionPool>();
  #scan: NodeJS.Timeout | undefined;

  constructor(options: PoolOptions) {
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

  /**
   * Resolves when the head of the response has arrived. Rejects with OutboundError if the connection fails before. The signal also
   * ends a response whose body is still arriving.
   */
  open(request: StreamedRequest): Promise<StreamedResponse> {
    const { destination, signal } = request;
    if (signal?.aborted) return Promise.reject(new OutboundError(aborted()));
    return new Promise((resolve, reject) => {
      new StreamedCall(request, this.#poolOf(destination), resolve, reject).begin();
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

/** One request, until it has a response or has failed. */
class Call implements PooledCall {
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
    this.#reject(new OutboundError(error, false, connection?.certificate, connection?.isReady));
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

/** A streamed request, until its response is complete or it has failed. */
class StreamedCall implements PooledCall {
  readonly head: string;
  readonly body: string | Readable;
  readonly isChunked: boolean;
  readonly isHead: boolean;
  readonly isStreamed = true;
  readonly #request: StreamedRequest;
  readonly #pool: ConnectionPool;
  readonly #resolve: (response: StreamedResponse) => void;
  readonly #reject: (error: OutboundError) => void;
  #connection: OutgoingConnection | undefined;
  #open: OpenResponse | undefined;
  #deadline: NodeJS.Timeout | undefined;

  constructor(
    request: StreamedRequest,
    pool: ConnectionPool,
    resolve: (response: StreamedResponse) => void,
    reject: (error: OutboundError) => void,
  ) {
    this.head = request.head;
    this.body = request.body ?? '';
    this.isChunked = request.isChunked;
    this.isHead = request.isHead;
    this.#request = request;
    this.#pool = pool;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  begin(): void {
    this.#request.signal?.addEventListener('abort', this.#onAbort);
    this.#pool.submit(this);
    if (this.#connection?.isReady) return;
    this.#deadline = setTimeout(() => this.#checkConnected(), this.#request.connectTimeoutMs);
  }

  startOn(connection: OutgoingConnection): void {
    this.#connection = connection;
    connection.start(this);
  }

  onResponse(response: Http1Response): void {
    this.#settle();
    this.#resolve(response);
  }

  onOpenResponse(response: OpenResponse): void {
    clearTimeout(this.#deadline);
    this.#open = response;
    response.body.once('close', () => this.#settle());
    this.#resolve(response);
  }

  /** A request without a body is repeated if the server has closed a kept-alive connection. */
  onFailure(error: Error, connection?: OutgoingConnection, isUnanswered = false): void {
    if (connection?.isReused && isUnanswered && isReset(error) && this.#isRepeatable) return void this.#pool.submit(this);
    this.#settle();
    this.#reject(new OutboundError(error, false, connection?.certificate, connection?.isReady));
  }

  get #isRepeatable(): boolean {
    return this.body === '' && /^(?:GET|HEAD) /.test(this.head);
  }

  #checkConnected(): void {
    if (!this.#connection?.isReady) this.#giveUp(new Error('the connection timed out'), true);
  }

  #onAbort = (): void => {
    if (this.#open) this.#open.body.destroy(aborted());
    else this.#giveUp(aborted(), false);
  };

  #giveUp(error: Error, timedOut: boolean): void {
    const connection = this.#connection;
    this.#settle();
    this.#pool.withdraw(this);
    connection?.destroy();
    this.#reject(new OutboundError(error, timedOut, connection?.certificate, connection?.isReady));
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
