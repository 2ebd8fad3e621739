import type { Readable } from 'node:stream';

/** Returned by a handler, written by the transport; filters may replace it in between. */
export type Answer = BytesAnswer | StreamAnswer | TakenOver;

export interface BytesAnswer {
  readonly kind: 'bytes';
  readonly status: number;
  /** Content-Type; empty for an answer without content. */
  readonly type: string;
  /** Chunks are pulled as fast as the client reads them, and written without being joined. */
  readonly body: Uint8Array | string | Iterable<Uint8Array> | Readable;
  readonly headers?: AnswerHeaders;
  /** The length of a body in pieces, if it is known: it is sent as Content-Length. */
  readonly length?: number | undefined;
  /** The response of another server: filters do not encode its body, and add their headers to those of the same name. */
  readonly isProxied?: true;
  /** The last answer on its connection: it has `Connection: close`, or is followed by GOAWAY on HTTP/2. */
  readonly closesConnection?: true;
}

export interface StreamAnswer {
  readonly kind: 'stream';
  readonly status: number;
  readonly type: string;
  readonly headers?: AnswerHeaders;
  /** Called when the header has been written. */
  start(sink: Sink): void;
}

/** The handler took the connection over and answers on the socket itself. */
export interface TakenOver {
  readonly kind: 'taken-over';
  readonly status: number;
}

export type AnswerHeaders = Readonly<Record<string, string | readonly string[]>>;

/** The writing end of a stream. */
export interface Sink {
  /** `frames` are the messages, `joined` the same bytes in one buffer: the transport takes whichever it needs. */
  write(frames: readonly Uint8Array[], joined: Uint8Array): void;
  /** Bytes accepted but not yet handed to the socket. */
  readonly buffered: number;
  /** Calls back once, when the buffered bytes have been handed to the socket. */
  onDrain(listener: () => void): void;
  end(): void;
  /** Closes the stream without finishing it, for instance because the client reads too slowly. */
  abort(): void;
  /** Calls back once, when the stream is over for whatever reason. */
  onClose(listener: () => void): void;
}
