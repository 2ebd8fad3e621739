import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { DirectBody } from '../http/direct-body.ts';
import { type BufferedWrite, WriteBuffer } from '../http/write-buffer.ts';

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

/**
 * Calls back when the client has taken what is queued for it, and everybody else has had a turn: while a socket takes
 * everything at once, Node tells so without one, and whoever writes on would keep the loop to himself.
 */
export function onceDrained(socket: Socket, listener: () => void): void {
  if (socket.writableNeedDrain) socket.once('drain', () => setImmediate(listener));
  else setImmediate(listener);
}

/** Where a body goes to, piece by piece. */
export interface Outlet {
  readonly socket: Socket;
  readonly writer: BodyWriter;
  /** The body has come to its end. */
  done(): void;
  /** It has not, and never will: the header is out already, so breaking off is the only way left to say so. */
  abort(): void;
}

/** Asks for the next piece when the client has taken what went before. */
export function pump(body: Iterable<Uint8Array> | Readable, outlet: Outlet): void {
  if (body instanceof Readable) pumpReadable(body, outlet);
  else if (body instanceof DirectBody) pumpDirect(body, outlet);
  else pumpReady(body[Symbol.iterator](), outlet);
}

function pumpReady(pieces: Iterator<Uint8Array>, outlet: Outlet): void {
  const { socket, writer } = outlet;
  const next = () => {
    for (;;) {
      if (!socket.writable) return;
      let step: IteratorResult<Uint8Array>;
      try {
        step = pieces.next();
      } catch {
        return void outlet.abort();
      }
      if (step.done) return void finish();
      if (!writer.write(step.value)) return void onceDrained(socket, next);
    }
  };
  const stop = () => void pieces.return?.();
  const finish = () => {
    socket.off('close', stop);
    outlet.done();
  };
  socket.once('close', stop);
  next();
}

/** So many bytes are written at once. */
const writeBytes = 128 * 1024;
const memory = new WriteBuffer();

/** One write at a time, out of memory that all connections share. Everybody else has a turn in between. */
function pumpDirect(body: DirectBody, { socket, writer, done, abort }: Outlet): void {
  const stop = () => body.cancel();
  const next = () => {
    if (!socket.writable) return;
    const piece = nextPiece(body);
    if (piece === undefined) return void abort();
    const isLast = piece.bytes.length < writeBytes;
    writer.write(piece.bytes, (error) => {
      piece.release();
      if (!isLast && !error) setImmediate(next);
    });
    if (!isLast) return;
    socket.off('close', stop);
    done();
  };
  socket.once('close', stop);
  next();
}

/** Undefined if it cannot be made. */
function nextPiece(body: DirectBody): BufferedWrite | undefined {
  try {
    memory.reserve(writeBytes);
    memory.at += body.writeTo(memory.buffer, memory.at, writeBytes);
    return memory.take() ?? { bytes: noBytes, release() {} };
  } catch {
    memory.discard();
    return undefined;
  }
}

const noBytes = Buffer.alloc(0);

function pumpReadable(body: Readable, outlet: Outlet): void {
  const { socket, writer } = outlet;
  if (body.destroyed) return void outlet.abort();
  const stop = () => void body.destroy();
  socket.once('close', stop);
  body.on('data', (piece: Uint8Array) => {
    if (!socket.writable || writer.write(piece)) return;
    body.pause();
    onceDrained(socket, () => body.resume());
  });
  body.once('end', () => {
    socket.off('close', stop);
    if (socket.writable) outlet.done();
  });
  body.once('error', () => outlet.abort());
  body.once('close', () => {
    if (!body.readableEnded) outlet.abort();
  });
}
