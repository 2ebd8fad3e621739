import type { Readable } from 'node:stream';
import type { Sink } from '../http/answer.ts';
import type { DirectBody } from '../http/direct-body.ts';
import type { Http2Exchange } from './exchange.ts';

/** The part of an answer's body that is still to be sent. */
export interface ResponseBody {
  /** The next bytes begin at `at`. */
  readonly chunk: Uint8Array;
  at: number;
  /** Gets the next chunk if the current one is used up. False if none is available now. Throws if the source fails. */
  fill(): boolean;
  /** Whether the current chunk is the last. */
  readonly isLast: boolean;
  /** The rest will not be sent. */
  cancel(): void;
}

export class BytesBody implements ResponseBody {
  readonly chunk: Uint8Array;
  at = 0;
  readonly isLast = true;

  constructor(bytes: Uint8Array) {
    this.chunk = bytes;
  }

  fill(): boolean {
    return this.at < this.chunk.length;
  }

  cancel(): void {}
}

/** Chunks of an iterable, pulled as the send window allows. */
export class IterableBody implements ResponseBody {
  chunk: Uint8Array = empty;
  at = 0;
  isLast = false;
  readonly #chunks: Iterator<Uint8Array>;

  constructor(chunks: Iterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.iterator]();
  }

  fill(): boolean {
    while (this.at === this.chunk.length && !this.isLast) {
      const step = this.#chunks.next();
      this.at = 0;
      this.chunk = step.done ? empty : step.value;
      this.isLast = step.done === true;
    }
    return this.at < this.chunk.length;
  }

  cancel(): void {
    if (this.isLast) return;
    this.isLast = true;
    this.#chunks.return?.();
  }
}

/** A DirectBody, which is written straight into DATA frames and never has a chunk. */
export class DirectResponseBody implements ResponseBody {
  readonly chunk = empty;
  at = 0;
  isLast = false;
  readonly #body: DirectBody;

  constructor(body: DirectBody) {
    this.#body = body;
  }

  fill(): boolean {
    return false;
  }

  writeTo(target: Buffer, at: number, room: number): number {
    if (room === 0 || this.isLast) return 0;
    const length = this.#body.writeTo(target, at, room);
    this.isLast = length < room;
    return length;
  }

  cancel(): void {
    if (this.isLast) return;
    this.isLast = true;
    this.#body.cancel();
  }
}

/** A Readable, read as the send window allows. */
export class ReadableBody implements ResponseBody {
  chunk: Uint8Array = empty;
  at = 0;
  isLast = false;
  readonly #stream: Readable;

  constructor(stream: Readable, onReady: () => void, onFailed: (error?: Error) => void) {
    this.#stream = stream;
    const end = () => {
      this.isLast = true;
      onReady();
    };
    stream.on('readable', onReady);
    stream.once('end', end);
    stream.on('error', onFailed);
    stream.once('close', () => {
      if (!this.isLast && !stream.readableEnded) onFailed();
    });
    if (stream.destroyed) queueMicrotask(() => (stream.readableEnded ? end() : onFailed()));
  }

  fill(): boolean {
    if (this.at < this.chunk.length) return true;
    this.chunk = (this.#stream.read() as Buffer | null) ?? empty;
    this.at = 0;
    return this.chunk.length > 0;
  }

  cancel(): void {
    if (!this.isLast) this.#stream.destroy();
    this.isLast = true;
  }
}

/** An unbounded queue for a Sink; the producer watches `buffered`. */
export class QueuedBody implements ResponseBody {
  chunk: Uint8Array = empty;
  at = 0;
  #queue: Uint8Array[] = [];
  #taken = 0;
  #waitingBytes = 0;
  #isEnded = false;
  #onDrain: (() => void)[] | undefined;

  get buffered(): number {
    return this.#waitingBytes + this.chunk.length - this.at;
  }

  get isLast(): boolean {
    return this.#isEnded && this.#taken === this.#queue.length;
  }

  push(bytes: Uint8Array): void {
    if (this.#isEnded || bytes.length === 0) return;
    this.#queue.push(bytes);
    this.#waitingBytes += bytes.length;
  }

  end(): void {
    this.#isEnded = true;
  }

  onDrain(listener: () => void): void {
    this.#onDrain ??= [];
    this.#onDrain.push(listener);
  }

  fill(): boolean {
    if (this.at < this.chunk.length) return true;
    this.at = 0;
    const next = this.#queue[this.#taken];
    this.chunk = next ?? empty;
    if (!next) return false;
    this.#waitingBytes -= next.length;
    if (++this.#taken === this.#queue.length) {
      this.#queue = [];
      this.#taken = 0;
    }
    return true;
  }

  /** Calls the drain listeners in a later event loop iteration, because they may write again. */
  notifyDrained(): void {
    const listeners = this.#onDrain;
    if (!listeners || this.buffered > 0) return;
    this.#onDrain = undefined;
    for (const listener of listeners) setImmediate(listener);
  }

  cancel(): void {
    this.#isEnded = true;
    this.#queue = [];
    this.#taken = this.#waitingBytes = 0;
    this.chunk = empty;
    this.at = 0;
  }
}

const empty = new Uint8Array(0);

/** Writes to a QueuedBody. Everything written in one event loop iteration is sent together. */
export class Http2Sink implements Sink {
  readonly #exchange: Http2Exchange;
  readonly #body: QueuedBody;
  readonly #send: () => void;

  constructor(exchange: Http2Exchange, body: QueuedBody, send: () => void) {
    this.#exchange = exchange;
    this.#body = body;
    this.#send = send;
  }

  get buffered(): number {
    return this.#body.buffered;
  }

  write(_frames: readonly Uint8Array[], joined: Uint8Array): void {
    if (this.#exchange.isClosed) return;
    this.#body.push(joined);
    this.#send();
  }

  onDrain(listener: () => void): void {
    if (this.#body.buffered > 0) this.#body.onDrain(listener);
    else setImmediate(listener);
  }

  end(): void {
    if (this.#exchange.isClosed) return;
    this.#body.end();
    this.#send();
  }

  abort(): void {
    this.#exchange.abort();
  }

  onClose(listener: () => void): void {
    this.#exchange.onClose(listener);
  }
}
