import type { Duplex, Readable } from 'node:stream';
import type { Answer } from './answer.ts';
import type { AdmitBytes } from './body.ts';

/** Serves a request. Both protocols call it, through `serve`. */
export type ExchangeHandler = (exchange: Exchange) => Answer | Promise<Answer>;

/** A request as a handler sees it, the same for HTTP/1.1, HTTP/2 and WebSocket handshakes. */
export interface Exchange {
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  readonly protocol: 'HTTP/1.1' | 'HTTP/2.0';
  /** The first value of a header, as Go's Header.Get returns it. The name is in lower case. */
  header(name: string): string | undefined;
  /** Every header field in the order sent, names in lower case, after redaction. */
  eachHeader(visit: (name: string, value: string) => void): void;
  /** Hides credentials from later calls of `eachHeader`, for instance when a request is proxied. Redactions add up. */
  redact(redaction: HeaderRedaction): void;
  /** One object for all requests of a connection, so that it can be a WeakMap key. */
  readonly connection: ClientConnection;
  /**
   * The whole body. Rejects with BodyTooLarge beyond the limit, with NoRoomForBody if bytes of it are not admitted, with ClientGone
   * if the client does not send all of it.
   */
  body(limit: number, admit?: AdmitBytes): Promise<Buffer>;
  /**
   * The body as it arrives, with backpressure to the client; undefined if the request has none. It is destroyed with ClientGone if the
   * client does not send all of it, and stalls if the answer begins before its end.
   */
  bodyStream(): Readable | undefined;
  /** Whether this is a WebSocket handshake. */
  readonly upgrade: boolean;
  /** For a request that asks to upgrade: gives the socket to the handler, which then answers `taken-over`. */
  takeOver?(): UpgradedConnection;
  /** Cancelled when the client disconnects before the answer is complete. Set by the handler. */
  request?: Cancellable | undefined;
  /** Calls back once when nothing more is sent or received, for whatever reason; at once if that is so already. */
  onClose(listener: () => void): void;
  /** Breaks the answer off: resets the stream of HTTP/2, closes the connection of HTTP/1.1. */
  abort(): void;
}

/** The side of an exchange that the transport uses. */
export interface ServedExchange extends Exchange {
  /** Sends the answer. `isLate` if the handler returned a promise. */
  respond(answer: Answer, isLate: boolean): void;
  /** The handler failed: there will be no answer. */
  fail(): void;
}

/** The value of a header field to show instead; undefined to leave the field out. */
export type HeaderRedaction = (name: string, value: string) => string | undefined;

export interface Cancellable {
  cancel(): void;
}

/** A socket that has left HTTP. */
export interface UpgradedConnection {
  readonly socket: Duplex;
  /** Bytes that the client sent after its request. */
  readonly head: Buffer;
}

export interface ClientConnection {
  readonly remoteAddress: string;
  /** The certificates that the client presented, its own first, DER encoded. */
  clientCertificates(): readonly Buffer[];
  /** HTTP/2: sends GOAWAY, finishes the open streams and closes. HTTP/1.1, which serves one request at a time: does nothing. */
  goAway(): void;
  /** The answer to the current request is the last one of the connection, in both protocols. */
  retire(): void;
  /** Whether TLS verified the client certificate with the authorities known when the connection was made. */
  readonly hasTrustedCertificate: boolean;
  /** Whether its next request is dispatched first: the last one was exempt or system traffic, or there was none. */
  isUrgent: boolean;
}
