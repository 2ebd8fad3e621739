import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { BodyWriter, pump } from '../http1/body-writer.ts';
import { type Expectation, type Http1Response, type ResponseHead, ResponseReader } from './response-reader.ts';

/** A response whose body is still arriving. Destroying the body closes the connection. */
export interface OpenResponse extends ResponseHead {
  readonly body: Readable;
}

/** A request, and what happens with its response. One of the callbacks is called, once. */
export interface OutgoingExchange extends Expectation {
  /** Request line and header fields, in latin1. */
  readonly head: string;
  /** A stream is sent in chunks if `isChunked`, and else as it is. Nothing of it is read before the connection is ready. */
  readonly body: string | Readable;
  readonly isChunked?: boolean;
  onResponse(response: Http1Response): void;
  /** Called for an exchange with `isStreamed` in place of `onResponse`, if the body does not arrive together with the head. */
  onOpenResponse?(response: OpenResponse): void;
  /** `isUnanswered` if the connection was closed before a byte of the response arrived. */
  onFailure(error: Error, connection: OutgoingConnection, isUnanswered: boolean): void;
}

/** Receives the lifecycle events of a connection. */
export interface ConnectionObserver {
  /** The server was reached, and verified. */
  onReady(): void;
  /** The connection can take another request. */
  onIdle(connection: OutgoingConnection): void;
  onClosed(connection: OutgoingConnection): void;
}

/** Up to this size copying head and body into one buffer is cheaper than two writes. */
const maxCopiedBytes = 32 * 1024;

/** One connection to a server, with one request at a time. Requests are sent once the server is verified. */
export class OutgoingConnection {
  /** Whether it has carried a request before the present one. */
  isReused = false;
  /** Whether the server was reached, and verified. */
  isReady = false;
  /** When it became idle, in milliseconds of performance.now(). */
  idleSince = 0;
  /** Set by a Keep-Alive header: the server closes the connection after this time. */
  idleLimitMs: number | undefined;
  /** The server's certificate, if the handshake got that far. */
  certificate: Buffer | undefined;
  readonly #socket: Socket;
  readonly #observer: ConnectionObserver;
  readonly #reader: ResponseReader;
  #exchange: OutgoingExchange | undefined;
  /** The body of an open response. */
  #stream: Readable | undefined;
  /** Whether a streamed request body has not been written completely. */
  #isSending = false;
  #isClosed = false;

  /** `socket` is still connecting. `readyEvent` is emitted when it may be written to. */
  constructor(socket: Socket, readyEvent: 'connect' | 'secureConnect', observer: ConnectionObserver, maxResponseBytes: number) {
    this.#socket = socket;
    this.#observer = observer;
    this.#reader = new ResponseReader(maxResponseBytes);
    socket.setNoDelay(true);
    // The timers of requests keep the process running, idle connections do not.
    socket.unref();
    if (readyEvent === 'secureConnect') this.#recordCertificate(socket as TLSSocket);
    socket.once(readyEvent, () => this.#onReady());
    socket.on('data', (bytes: Buffer) => this.#onData(bytes));
    socket.on('end', () => this.#onEnd());
    socket.on('error', (error) => this.#fail(error, !this.#reader.hasBegun));
    socket.on('close', () => this.#fail(hangUp(), !this.#reader.hasBegun));
  }

  /** The connection must be idle or new. */
  start(exchange: OutgoingExchange): void {
    this.#exchange = exchange;
    this.#reader.expect(exchange);
    if (this.isReady) this.#write(exchange);
  }

  /** Closes the connection. Its exchange fails only if an error is given. */
  destroy(error?: Error): void {
    if (error) return void this.#fail(error, false);
    this.#exchange = undefined;
    this.#close();
  }

  /** Before a failed verification closes the connection. */
  #recordCertificate(socket: TLSSocket): void {
    socket.prependOnceListener('secure', () => {
      this.certificate = socket.getPeerCertificate().raw;
    });
  }

  #onReady(): void {
    this.isReady = true;
    if (this.#exchange) this.#write(this.#exchange);
    this.#observer.onReady();
  }

  #write({ head, body, isChunked }: OutgoingExchange): void {
    if (typeof body === 'string') writeText(this.#socket, head, body);
    else this.#writeStream(new BodyWriter(this.#socket, head, isChunked === true), body);
  }

  #writeStream(writer: BodyWriter, body: Readable): void {
    this.#isSending = true;
    writer.writeHead();
    pump(body, {
      socket: this.#socket,
      writer,
      done: () => {
        this.#isSending = false;
        writer.end(() => {});
      },
      abort: () => this.#fail(body.errored ?? hangUp(), false),
    });
  }

  #onData(bytes: Buffer): void {
    // An unsolicited response must not be matched with the next request.
    if (!this.#exchange) return void this.#close();
    let response: Http1Response | undefined;
    try {
      response = this.#reader.push(bytes);
    } catch (error) {
      return void this.#fail(error as Error, false);
    }
    if (response) this.#finish(response);
    else if (!this.#stream && this.#exchange.isStreamed && this.#reader.head) this.#open(this.#exchange, this.#reader.head);
  }

  #open(exchange: OutgoingExchange, head: ResponseHead): void {
    const socket = this.#socket;
    const body = new Readable({
      read: () => void socket.resume(),
      destroy: (error, done) => {
        if (this.#stream === body) this.destroy();
        done(error);
      },
    });
    this.#stream = body;
    this.#reader.streamTo((bytes, start, end) => {
      if (!body.push(bytes.subarray(start, end))) socket.pause();
    });
    exchange.onOpenResponse?.({ ...head, body });
  }

  #onEnd(): void {
    const response = this.#exchange && this.#reader.end();
    if (response) this.#finish(response);
    else this.#fail(hangUp(), !this.#reader.hasBegun);
  }

  #finish(response: Http1Response): void {
    const [exchange, stream] = [this.#exchange, this.#stream];
    this.#exchange = this.#stream = undefined;
    this.isReused = true;
    if (this.#reader.keepsAlive && this.#socket.writable && !this.#isSending) {
      this.idleLimitMs = announcedLimit(response.headers.get('keep-alive'));
      this.#socket.resume();
      this.#observer.onIdle(this);
    } else this.#close();
    if (stream) stream.push(null);
    else exchange?.onResponse(response);
  }

  #fail(error: Error, isUnanswered: boolean): void {
    const [exchange, stream] = [this.#exchange, this.#stream];
    this.#exchange = this.#stream = undefined;
    this.#close();
    if (stream) stream.destroy(error);
    else exchange?.onFailure(error, this, isUnanswered);
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#socket.destroy();
    this.#observer.onClosed(this);
  }
}

function writeText(socket: Socket, head: string, body: string): void {
  const bodyBytes = Buffer.byteLength(body);
  if (head.length + bodyBytes <= maxCopiedBytes) {
    const all = Buffer.allocUnsafe(head.length + bodyBytes);
    all.write(head, 0, 'latin1');
    all.write(body, head.length, 'utf8');
    socket.write(all);
    return;
  }
  socket.cork();
  socket.write(head, 'latin1');
  socket.write(body, 'utf8');
  socket.uncork();
}

/** The error of node:http for a connection that is closed without a response. */
function hangUp(): Error {
  return Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
}

/** Less than the server announces, because the request takes time to arrive. */
const marginMs = 1000;

function announcedLimit(keepAlive: string | undefined): number | undefined {
  const seconds = keepAlive === undefined ? undefined : /\btimeout=(\d{1,6})\b/i.exec(keepAlive)?.[1];
  return seconds === undefined ? undefined : Math.max(0, 1000 * Number(seconds) - marginMs);
}
