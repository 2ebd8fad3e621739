import type { Socket } from 'node:net';

/** A record of TLS holds so much; what does not fit one with the head is not worth copying to stand behind it. */
const recordBytes = 16 * 1024;
const maxCopiedBytes = 2 * recordBytes;

export type Flushed = (error?: Error | null) => void;

/**
 * Text and bytes in as few writes as possible. Several writes that wait for the network are joined by it, which copies
 * them: so there are never more than one that is on its way and one that waits.
 */
export function writeBehind(socket: Socket, text: string, bytes: Uint8Array, flushed?: Flushed): void {
  const all = text.length + bytes.length;
  const copied = all <= maxCopiedBytes ? bytes.length : Math.max(0, recordBytes - text.length);
  const first = Buffer.allocUnsafe(text.length + copied);
  first.write(text, 0, 'latin1');
  first.set(copied < bytes.length ? bytes.subarray(0, copied) : bytes, text.length);
  if (copied === bytes.length) return void socket.write(first, flushed);
  socket.write(first);
  socket.write(bytes.subarray(copied), flushed);
}

/** A body of which nobody knows how long it will be. Chunks of it end with the beginning of the next, if there is one. */
export class BodyWriter {
  readonly #socket: Socket;
  readonly #isChunked: boolean;
  #before: string;

  constructor(socket: Socket, head: string, isChunked: boolean) {
    this.#socket = socket;
    this.#before = head;
    this.#isChunked = isChunked;
  }

  /** Gives false if the client is slower than this. */
  write(bytes: Uint8Array): boolean {
    if (bytes.length === 0) return !this.#socket.writableNeedDrain;
    writeBehind(this.#socket, this.#isChunked ? `${this.#before}${bytes.length.toString(16)}\r\n` : this.#before, bytes);
    this.#before = this.#isChunked ? '\r\n' : '';
    return !this.#socket.writableNeedDrain;
  }

  end(flushed: Flushed): void {
    this.#socket.write(`${this.#before}${this.#isChunked ? '0\r\n\r\n' : ''}`, 'latin1', flushed);
  }
}
