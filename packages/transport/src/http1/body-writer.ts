import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { DirectBody } from '../http/direct-body.ts';
import { type BufferedWrite, WriteBuffer } from '../http/write-buffer.ts';

/** Up to this size copying head and body into one buffer is cheaper than two writes. */
const maxCopiedBytes = 32 * 1024;

export type Flushed = (error?: Error | null) => void;

/**
 * Writes text and bytes together. Large bodies are corked: TLS joins the two in memory that it reuses, whereas joining them here
 * would create garbage, and sending the head first would wake the client twice.
 */
export function writeTogether(socket: Socket, text: string, bytes: Uint8Array, flushed?: Flushed): void {
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

/** Writes a body of unknown length. The CRLF that ends a chunk is sent with the next one. */
export class BodyWriter {
  readonly #socket: Socket;
  readonly #isChunked: boolean;
  #before: string;

  constructor(socket: Socket, head: string, isChunked: boolean) {
    this.#socket = socket;
    this.#before = head;
    this.#isChunked = isChunked;
  }

  /** Sends the head before the first bytes of the body, which may be long in coming. */
  writeHead(): void {
    this.#socket.write(this.#before, 'latin1');
    this.#before = '';
  }

  /** False if the socket needs to drain first. */
  write(bytes: Uint8Array, flushed?: Flushed): boolean {
    if (bytes.length === 0) return !this.#socket.writableNeedDrain;
    const before = this.#isChunked ? `${this.#before}${bytes.length.toString(16)}\r\n` : this.#before;
    writeTogether(this.#socket, before, bytes, flushed);
    this.#before = this.#isChunked ? '\r\n' : '';
    return !this.#socket.writableNeedDrain;
  }

  end(flushed: Flushed): void {
    this.#socket.write(`${this.#before}${this.#isChunked ? '0\r\n\r\n' : ''}`, 'latin1', flushed);
  }
}

/**
 * Calls back when the socket has drained, in a later event loop iteration: a fast socket drains synchronously, and a writer that
 * continued at once would block the loop.
 */
export function onceDrained(socket: Socket, listener: () => void): void {
  if (socket.writableNeedDrain) socket.once('drain', () => setImmediate(listener));
  else setImmediate(listener);
}

/** Destination of a body. */
export interface Outlet {
  readonly socket: Socket;
  readonly writer: BodyWriter;
  /** The body is complete. */
  done(): void;
  /** The body failed. The header has been sent, so only closing the connection tells the client. */
  abort(): void;
}

/** Writes a body with backpressure. */
export function pump(body: Iterable<Uint8Array> | Readable, outlet: Outlet): void {
  if (body instanceof Readable) pumpReadable(body, outlet);
  else if (body instanceof DirectBody) pumpDirect(body, outlet);
  else pumpIterator(body[Symbol.iterator](), outlet);
}

function pumpIterator(pieces: Iterator<Uint8Array>, outlet: Outlet): void {
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

/** Size of one write. */
const writeBytes = 128 * 1024;
const writeBuffer = new WriteBuffer();

/** One write per event loop iteration, from the buffer that all connections share. */
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

/** Undefined if the body fails. */
function nextPiece(body: DirectBody): BufferedWrite | undefined {
  try {
    writeBuffer.reserve(writeBytes);
    writeBuffer.at += body.writeTo(writeBuffer.buffer, writeBuffer.at, writeBytes);
    return writeBuffer.take() ?? { bytes: noBytes, release() {} };
  } catch {
    writeBuffer.discard();
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
