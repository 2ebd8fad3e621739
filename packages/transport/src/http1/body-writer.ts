import type { Socket } from 'node:net';

/** Up to this size it is cheaper to copy a body behind its head than to write two pieces. */
const maxCopiedBytes = 32 * 1024;

export type Flushed = (error?: Error | null) => void;

/**
 * Text and bytes in one write. Two pieces are joined where they are encrypted, in memory that is used again; joining them
 * here would cost as much and leave garbage, and sending the head ahead would wake the client twice.
 */
export function writeBehind(socket: Socket, text: string, bytes: Uint8Array, flushed?: Flushed): void {
  if (text.length + bytes.length <= maxCopiedBytes) {
    const all = Buffer.allocUnsafe(text.length + bytes.length);
    all.write(text, 0, 'latin1');
    all.set(bytes, text.length);
    socket.write(all, flushed);
    return;
  }
  socket.cork();
  socket.write(text, 'latin1');
  socket.write(bytes, flushed);
  socket.uncork();
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
  write(bytes: Uint8Array, flushed?: Flushed): boolean {
    if (bytes.length === 0) return !this.#socket.writableNeedDrain;
    const before = this.#isChunked ? `${this.#before}${bytes.length.toString(16)}\r\n` : this.#before;
    writeBehind(this.#socket, before, bytes, flushed);
    this.#before = this.#isChunked ? '\r\n' : '';
    return !this.#socket.writableNeedDrain;
  }

  end(flushed: Flushed): void {
    this.#socket.write(`${this.#before}${this.#isChunked ? '0\r\n\r\n' : ''}`, 'latin1', flushed);
  }
}
