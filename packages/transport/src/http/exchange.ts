import type { Duplex } from 'node:stream';
import type { AdmitBytes } from './body.ts';

/** What the transport knows of a request, the same for HTTP/1.1, HTTP/2 and WebSocket. */
export interface Exchange {
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  readonly protocol: 'HTTP/1.1' | 'HTTP/2.0';
  /** The name in lower case. Of a header that was sent several times the first value, as Go's Header.Get gives it. */
  header(name: string): string | undefined;
  /** Every header field in the order sent, names in lower case, after redaction. */
  eachHeader(visit: (name: string, value: string) => void): void;
  /** Hides credentials from later calls of `eachHeader`, for instance when a request is proxied. Redactions add up. */
  redact(redaction: HeaderRedaction): void;
  /** What belongs to the connection: its certificate, and room for what a filter learns of it once. */
  readonly connection: ClientConnection;
  /**
   * The whole body. Fails with BodyTooLarge beyond the limit, with NoRoomForBody if bytes of it are not admitted, with ClientGone if
   * it does not come to its end.
   */
  body(limit: number, admit?: AdmitBytes): Promise<Buffer>;
  /** Whether this is a WebSocket handshake. */
  readonly upgrade: boolean;
  /** For a request that asks to upgrade: gives the connection to a handler, which then answers `taken-over`. */
  takeOver?(): UpgradedConnection;
  /** Cancelled when the client goes away before the answer is complete. Set by whoever makes a request of the exchange. */
  request?: Cancellable | undefined;
  /** Called once when nothing more is sent or received, for whatever reason; at once if that is so already. */
  onClose(listener: () => void): void;
  /** Breaks the answer off. */
  abort(): void;
}

/** The value of a header field to show instead; undefined to leave the field out. */
export type HeaderRedaction = (name: string, value: string) => string | undefined;

export interface Cancellable {
  cancel(): void;
}

/** A connection that is somebody else's business from now on. */
export interface UpgradedConnection {
  readonly socket: Duplex;
  /** What the client sent behind its request. */
  readonly head: Buffer;
}

export interface ClientConnection {
  readonly remoteAddress: string;
  /** The certificates that the client presented, its own first, in DER form. */
  clientCertificates(): readonly Buffer[];
  /** Of HTTP/2: what is under way is finished, and then the connection ends. Of HTTP/1.1, which has one at a time: nothing. */
  goAway(): void;
  /** Whether TLS could follow them to an authority that the server knew when the connection was made. */
  readonly hasTrustedCertificate: boolean;
  /** Whether what comes next goes before the requests of others: the last request was exempt from limits or system traffic, or there was none. */
  isUrgent: boolean;
}
