import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { Answer, BytesAnswer, StreamAnswer } from '../http/answer.ts';
import { BodyWriter, type Flushed, writeBehind } from './body-writer.ts';
import type { Http1Exchange } from './exchange.ts';
import { pump } from './pump.ts';
import { endings, responseHead } from './response-head.ts';
import { Http1Sink } from './sink.ts';

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
