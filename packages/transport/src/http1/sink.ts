import type { Socket } from 'node:net';
import type { Sink } from '../http/answer.ts';
import { whenDrained } from './drained.ts';
import type { Http1Exchange } from './exchange.ts';

/** The writing end of a stream that is sent in chunks, or, to those who do not know them, as it is. */
export class Http1Sink implements Sink {
  readonly #exchange: Http1Exchange;
  readonly #socket: Socket;
  readonly #isChunked: boolean;
  readonly #done: () => void;
  #isOver = false;

  constructor(exchange: Http1Exchange, socket: Socket, isChunked: boolean, done: () => void) {
    this.#exchange = exchange;
    this.#socket = socket;
    this.#isChunked = isChunked;
    this.#done = done;
  }

  get buffered(): number {
    return this.#socket.writableLength;
  }

  write(_frames: readonly Uint8Array[], joined: Uint8Array): void {
    if (joined.length > 0 && this.#isOpen) this.#socket.write(this.#isChunked ? chunkOf(joined) : joined);
  }

  onDrain(listener: () => void): void {
    whenDrained(this.#socket, listener);
  }

  end(): void {
    if (!this.#isOpen) return;
    this.#isOver = true;
    this.#done();
  }

  abort(): void {
    this.#exchange.abort();
  }

  onClose(listener: () => void): void {
    this.#exchange.onClose(listener);
  }

  get #isOpen(): boolean {
    return !this.#isOver && this.#socket.writable;
  }
}

let lastBytes: Uint8Array | undefined;
let lastChunk: Buffer | undefined;

/** Many watches are sent the same bytes one after the other: the chunk is made once. */
function chunkOf(bytes: Uint8Array): Buffer {
  if (bytes === lastBytes) return lastChunk as Buffer;
  if (!lastBytes) setImmediate(forgetChunk);
  lastBytes = bytes;
  lastChunk = framed(bytes);
  return lastChunk;
}

function forgetChunk(): void {
  lastBytes = undefined;
  lastChunk = undefined;
}

function framed(bytes: Uint8Array): Buffer {
  const size = `${bytes.length.toString(16)}\r\n`;
  const chunk = Buffer.allocUnsafe(size.length + bytes.length + 2);
  chunk.write(size, 0, 'latin1');
  chunk.set(bytes, size.length);
  chunk.write('\r\n', size.length + bytes.length, 'latin1');
  return chunk;
}
