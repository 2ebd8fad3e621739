import type { Readable } from 'node:stream';

/** What a handler gives back. The transport writes it; filters may look at it on its way out. */
export type Answer = BytesAnswer | StreamAnswer | TakenOver;

export interface BytesAnswer {
  readonly kind: 'bytes';
  readonly status: number;
  /** Content-Type; empty for an answer without content. */
  readonly type: string;
  /** Chunks are asked for one after the other, as fast as the client reads them, and written without being joined. */
  readonly body: Uint8Array | string | Iterable<Uint8Array> | Readable;
  readonly headers?: AnswerHeaders;
}

export interface StreamAnswer {
  readonly kind: 'stream';
  readonly status: number;
  readonly type: string;
  readonly headers?: AnswerHeaders;
  /** Called once the header is on its way. */
  start(sink: Sink): void;
}

/** The handler has taken the connection over and answers by itself. */
export interface TakenOver {
  readonly kind: 'taken-over';
  readonly status: number;
}

export type AnswerHeaders = Readonly<Record<string, string | readonly string[]>>;

/** The writing end of a stream. */
export interface Sink {
  /** `frames` are the messages, `joined` the same bytes in one piece: the transport takes whichever it needs. */
  write(frames: readonly Uint8Array[], joined: Uint8Array): void;
  /** Bytes accepted but not yet handed to the network. */
  readonly buffered: number;
  /** Calls back once, when what is buffered has been handed to the network. */
  onDrain(listener: () => void): void;
  end(): void;
  /** Breaks the connection off: the reader was too slow. */
  abort(): void;
  /** Called once, when the stream is over for whatever reason. */
  onClose(listener: () => void): void;
}
