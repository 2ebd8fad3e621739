import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { Answer, BytesAnswer, Sink, StreamAnswer } from '../http/answer.ts';
import { BodyWriter, type Flushed, onceDrained, pump, writeBehind } from './body-writer.ts';
import type { Http1Exchange } from './exchange.ts';
import { endings, responseHead } from './response-head.ts';

/** The way of an answer to the network. */
export interface AnswerPath {
  readonly socket: Socket;
  readonly exchange: Http1Exchange;
  /** Whether the connection stays for another request. */
  readonly stays: boolean;
  /** Called when the last of the answer has been written, which need not mean that it has been sent. */
  written(): void;
}

/** An answer up to this size is as good as sent when it is written. */
const quickBytes = 16 * 1024;

export function writeAnswer(path: AnswerPath, answer: BytesAnswer | StreamAnswer): void {
  const { body } = answer as BytesAnswer;
  if (hasNoBody(path.exchange, answer.status)) writeHeadOnly(path, answer);
  else if (answer.kind === 'stream') startStream(path, answer);
  else if (typeof body === 'string') writeWhole(path, answer, Buffer.from(body, 'utf8'));
  else if (body instanceof Uint8Array) writeWhole(path, answer, body);
  else writePieces(path, answer, body);
}

/** Nobody will read it: whatever fills it is told. */
export function dropAnswer(answer: Answer): void {
  if (answer.kind === 'bytes' && answer.body instanceof Readable) answer.body.destroy();
}

function hasNoBody({ method }: Http1Exchange, status: number): boolean {
  return method === 'HEAD' || status === 304 || status === 204;
}

function writeWhole(path: AnswerPath, { status, type, headers }: BytesAnswer, body: Uint8Array): void {
  const { socket, exchange } = path;
  const head = responseHead(status, type, headers, body.length, endingOf(path));
  if (exchange.isAwaited || body.length > quickBytes) writeBehind(socket, head, body, whenFlushed(exchange));
  else {
    writeBehind(socket, head, body);
    exchange.end(false);
  }
  path.written();
}

function writeHeadOnly(path: AnswerPath, answer: BytesAnswer | StreamAnswer): void {
  const { status, type, headers } = answer;
  const length = status === 304 || status === 204 ? undefined : lengthOf(answer);
  path.socket.write(responseHead(status, type, headers, length, endingOf(path)), 'latin1', whenFlushed(path.exchange));
  dropAnswer(answer);
  path.written();
}

function lengthOf(answer: BytesAnswer | StreamAnswer): number | undefined {
  if (answer.kind === 'stream') return undefined;
  if (typeof answer.body === 'string') return Buffer.byteLength(answer.body);
  return answer.body instanceof Uint8Array ? answer.body.length : undefined;
}

function writePieces(path: AnswerPath, answer: BytesAnswer, body: Iterable<Uint8Array> | Readable): void {
  const { socket, exchange } = path;
  const writer = new BodyWriter(socket, openHead(path, answer), hasChunks(path));
  pump(body, {
    socket,
    writer,
    done: () => {
      writer.end(whenFlushed(exchange));
      path.written();
    },
    abort: () => exchange.abort(),
  });
}

function startStream(path: AnswerPath, answer: StreamAnswer): void {
  const { socket, exchange } = path;
  const isChunked = hasChunks(path);
  socket.write(openHead(path, answer), 'latin1');
  const done = () => {
    socket.write(isChunked ? '0\r\n\r\n' : '', 'latin1', whenFlushed(exchange));
    path.written();
  };
  answer.start(new Http1Sink(exchange, socket, isChunked, done));
}

const endingOf = ({ stays }: AnswerPath): string => (stays ? endings.staying : endings.leaving);

/** Those who speak HTTP/1.0 do not know of chunks: for them a body ends with the connection. */
export const hasChunks = ({ exchange }: AnswerPath): boolean => exchange.block.minor > 0;

/** The head of a body of unknown length. */
function openHead(path: AnswerPath, { status, type, headers }: BytesAnswer | StreamAnswer): string {
  const chunked = path.stays ? endings.stayingChunked : endings.leavingChunked;
  return responseHead(status, type, headers, undefined, hasChunks(path) ? chunked : endings.leaving);
}

function whenFlushed(exchange: Http1Exchange): Flushed {
  return (error) => exchange.end(error instanceof Error);
}

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
    onceDrained(this.#socket, listener);
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
