import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { Answer, AnswerHeaders, BytesAnswer, Sink, StreamAnswer } from '../http/answer.ts';
import { BodyWriter, type Flushed, onceDrained, pump, writeTogether } from './body-writer.ts';
import type { Http1Exchange } from './exchange.ts';

/** An answer being written. */
export interface AnswerWrite {
  readonly socket: Socket;
  readonly exchange: Http1Exchange;
  /** Whether the connection stays open for another request. */
  readonly keepsAlive: boolean;
  /** Called when all of the answer has been written to the socket, before it is flushed. */
  onWritten(): void;
}

/** An answer up to this size counts as sent when it is written. */
const quickBytes = 16 * 1024;

export function writeAnswer(write: AnswerWrite, answer: BytesAnswer | StreamAnswer): void {
  const { body } = answer as BytesAnswer;
  if (hasNoBody(write.exchange, answer.status)) writeHeadOnly(write, answer);
  else if (answer.kind === 'stream') startStream(write, answer);
  else if (typeof body === 'string') writeWhole(write, answer, Buffer.from(body, 'utf8'));
  else if (body instanceof Uint8Array) writeWhole(write, answer, body);
  else writePieces(write, answer, body);
}

/** Destroys the source of an answer that is not sent. */
export function dropAnswer(answer: Answer): void {
  if (answer.kind === 'bytes' && answer.body instanceof Readable) answer.body.destroy();
}

function hasNoBody({ method }: Http1Exchange, status: number): boolean {
  return method === 'HEAD' || status === 304 || status === 204;
}

function writeWhole(write: AnswerWrite, { status, type, headers }: BytesAnswer, body: Uint8Array): void {
  const { socket, exchange } = write;
  const head = responseHead(status, type, headers, body.length, endingOf(write));
  if (exchange.hasCloseListeners || body.length > quickBytes) writeTogether(socket, head, body, onFlushed(exchange));
  else {
    writeTogether(socket, head, body);
    exchange.end(false);
  }
  write.onWritten();
}

function writeHeadOnly(write: AnswerWrite, answer: BytesAnswer | StreamAnswer): void {
  const { status, type, headers } = answer;
  const length = status === 304 || status === 204 ? undefined : lengthOf(answer);
  write.socket.write(responseHead(status, type, headers, length, endingOf(write)), 'latin1', onFlushed(write.exchange));
  dropAnswer(answer);
  write.onWritten();
}

function lengthOf(answer: BytesAnswer | StreamAnswer): number | undefined {
  if (answer.kind === 'stream') return undefined;
  if (answer.length !== undefined) return answer.length;
  if (typeof answer.body === 'string') return Buffer.byteLength(answer.body);
  return answer.body instanceof Uint8Array ? answer.body.length : undefined;
}

function writePieces(write: AnswerWrite, answer: BytesAnswer, body: Iterable<Uint8Array> | Readable): void {
  const { socket, exchange } = write;
  const { length } = answer;
  const isChunked = length === undefined && isChunkedFor(write);
  const head = length === undefined ? openHead(write, answer) : sizedHead(write, answer, length);
  const writer = new BodyWriter(socket, head, isChunked);
  if (answer.isProxied) writer.writeHead();
  pump(body, {
    socket,
    writer,
    done: () => {
      writer.end(onFlushed(exchange));
      write.onWritten();
    },
    abort: () => exchange.abort(),
  });
}

function startStream(write: AnswerWrite, answer: StreamAnswer): void {
  const { socket, exchange } = write;
  const isChunked = isChunkedFor(write);
  socket.write(openHead(write, answer), 'latin1');
  const done = () => {
    socket.write(isChunked ? '0\r\n\r\n' : '', 'latin1', onFlushed(exchange));
    write.onWritten();
  };
  answer.start(new Http1Sink(exchange, socket, isChunked, done));
}

const endingOf = ({ keepsAlive }: AnswerWrite): string => (keepsAlive ? endings.keepAlive : endings.close);

/** HTTP/1.0 has no chunks: the body ends with the connection. */
const isChunkedFor = ({ exchange }: AnswerWrite): boolean => exchange.headers.minor > 0;

function sizedHead(write: AnswerWrite, { status, type, headers }: BytesAnswer, length: number): string {
  return responseHead(status, type, headers, length, endingOf(write));
}

/** The head of a response of unknown length. */
function openHead(write: AnswerWrite, { status, type, headers }: BytesAnswer | StreamAnswer): string {
  const chunked = write.keepsAlive ? endings.keepAliveChunked : endings.closeChunked;
  return responseHead(status, type, headers, undefined, isChunkedFor(write) ? chunked : endings.close);
}

function onFlushed(exchange: Http1Exchange): Flushed {
  return (error) => exchange.end(error instanceof Error);
}

/** A stream, sent in chunks, or unframed to HTTP/1.0 clients. */
class Http1Sink implements Sink {
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

/** Many watches send the same bytes one after the other: the chunk is encoded once. */
function chunkOf(bytes: Uint8Array): Buffer {
  if (bytes === lastBytes) return lastChunk as Buffer;
  if (!lastBytes) setImmediate(clearChunk);
  lastBytes = bytes;
  lastChunk = framed(bytes);
  return lastChunk;
}

function clearChunk(): void {
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

/** Idle keep-alive connections are closed after this time. */
export const idleTimeoutMs = 90_000;

/** Set by the transport only. */
const transportFields = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'date']);

/** Status line and header fields. Without a `length` the body is chunked, or ends with the connection. */
export function responseHead(
  status: number,
  type: string,
  headers: AnswerHeaders | undefined,
  length: number | undefined,
  ending: string,
): string {
  let head = statusLine(status);
  if (type !== '' && headers?.['content-type'] === undefined) head += `content-type: ${sanitized(type)}\r\n`;
  for (const name in headers) if (!transportFields.has(name)) head += field(name, headers[name] as string | readonly string[]);
  if (length !== undefined && status !== 204) head += `content-length: ${length}\r\n`;
  return head + dateLine() + ending;
}

function field(name: string, value: string | readonly string[]): string {
  if (typeof value === 'string') return `${name}: ${sanitized(value)}\r\n`;
  let lines = '';
  for (const each of value) lines += `${name}: ${sanitized(each)}\r\n`;
  return lines;
}

const invalidCharacter = /[^\t -~\u0080-\u00ff]/;

/** Prevents header injection: control characters become spaces. Other characters beyond Latin-1 are sent as UTF-8. */
function sanitized(value: string): string {
  if (!invalidCharacter.test(value)) return value;
  return Buffer.from(value.replace(/\p{Cc}/gu, ' '), 'utf8').toString('latin1');
}

const keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${idleTimeoutMs / 1000}\r\n`;
const chunked = 'Transfer-Encoding: chunked\r\n';

/** The last lines of a response head. */
export const endings = {
  keepAlive: `${keepAlive}\r\n`,
  close: 'Connection: close\r\n\r\n',
  keepAliveChunked: `${keepAlive}${chunked}\r\n`,
  closeChunked: `Connection: close\r\n${chunked}\r\n`,
} as const;

let second = 0;
let line = '';

function dateLine(): string {
  const now = Math.floor(Date.now() / 1000);
  if (now !== second) {
    second = now;
    line = `Date: ${new Date(now * 1000).toUTCString()}\r\n`;
  }
  return line;
}

const reasons: Readonly<Record<number, string>> = {
  100: 'Continue',
  101: 'Switching Protocols',
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  203: 'Non-Authoritative Information',
  204: 'No Content',
  205: 'Reset Content',
  206: 'Partial Content',
  300: 'Multiple Choices',
  301: 'Moved Permanently',
  302: 'Found',
  303: 'See Other',
  304: 'Not Modified',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  407: 'Proxy Authentication Required',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  411: 'Length Required',
  412: 'Precondition Failed',
  413: 'Payload Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  416: 'Range Not Satisfiable',
  417: 'Expectation Failed',
  421: 'Misdirected Request',
  422: 'Unprocessable Entity',
  423: 'Locked',
  424: 'Failed Dependency',
  425: 'Too Early',
  426: 'Upgrade Required',
  428: 'Precondition Required',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  451: 'Unavailable For Legal Reasons',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
  505: 'HTTP Version Not Supported',
  507: 'Insufficient Storage',
  508: 'Loop Detected',
  511: 'Network Authentication Required',
};

export const reasonOf = (status: number): string => reasons[status] ?? 'unknown';

const lines = new Map(
  Object.keys(reasons).map((status) => [Number(status), `HTTP/1.1 ${status} ${reasons[Number(status)]}\r\n`]),
);

const statusLine = (status: number): string => lines.get(status) ?? `HTTP/1.1 ${status} unknown\r\n`;
