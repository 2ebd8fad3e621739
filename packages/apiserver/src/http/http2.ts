import {
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { Answer, Sink, StreamAnswer } from './answer.ts';
import { readBody } from './body.ts';
import { connectionOf } from './connection.ts';
import { pump } from './pump.ts';
import { visitHeaders } from './raw-headers.ts';
import type { Connection, Exchange } from './request.ts';

/** A request that came as an HTTP/2 stream. */
export class Http2Exchange implements Exchange {
  readonly method: string;
  readonly url: string;
  readonly protocol = 'HTTP/2.0';
  readonly upgrade = false;
  readonly connection: Connection;
  readonly stream: ServerHttp2Stream;
  readonly #headers: IncomingHttpHeaders;
  readonly #raw: readonly string[];
  #isConcealed: ((name: string) => boolean) | undefined;

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, raw: readonly string[]) {
    this.stream = stream;
    this.#raw = raw;
    this.#headers = headers;
    this.method = headers[':method'] as string;
    this.url = headers[':path'] as string;
    stream.on('error', ignore);
    const session = stream.session as ServerHttp2Session;
    const connection = connectionOf(session, session.socket as TLSSocket);
    connection.openStreams++;
    stream.once('close', () => {
      connection.openStreams--;
    });
    this.connection = connection;
  }

  header(name: string): string | undefined {
    const value = this.#headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  /** Without what HTTP/2 says in place of a request line. */
  eachHeader(visit: (name: string, value: string) => void): void {
    visitHeaders(this.#raw, (name) => name.startsWith(':') || this.#isConcealed?.(name) === true, visit);
  }

  conceal(isConcealed: (name: string) => boolean): void {
    const before = this.#isConcealed;
    this.#isConcealed = before ? (name) => before(name) || isConcealed(name) : isConcealed;
  }

  body(limit: number): Promise<Buffer> {
    const { stream } = this;
    return readBody(stream, this.header('content-length'), limit, () => !(stream.closed || stream.aborted || stream.destroyed));
  }

  onAbort(listener: () => void): void {
    this.stream.once('close', () => {
      if (!this.stream.writableFinished) listener();
    });
  }

  onClose(listener: () => void): void {
    if (this.stream.destroyed) listener();
    else this.stream.once('close', listener);
  }

  abort(): void {
    this.stream.close(constants.NGHTTP2_CANCEL);
  }
}

const ignore = () => {};

export function writeHttp2(exchange: Http2Exchange, answer: Answer): void {
  const { stream } = exchange;
  if (answer.kind === 'taken-over' || stream.destroyed || stream.closed || stream.headersSent) return;
  const headers = { ':status': answer.status, 'content-type': answer.type, ...answer.headers } as OutgoingHttpHeaders;
  if (answer.kind === 'stream') {
    startStream(stream, headers, answer);
    return;
  }
  const { body } = answer;
  const whole = typeof body === 'string' || body instanceof Uint8Array;
  if (whole) headers['content-length'] = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
  if (exchange.method === 'HEAD' || answer.status === 304) return void stream.respond(headers, { endStream: true });
  stream.respond(headers);
  if (whole) stream.end(body);
  else pump(body, stream);
  // What is left of a refused body is not read: the stream is reset once the answer is out.
  if (!stream.readableEnded && answer.status >= 400) stream.once('finish', () => stream.close(constants.NGHTTP2_NO_ERROR));
}

function startStream(stream: ServerHttp2Stream, headers: OutgoingHttpHeaders, answer: StreamAnswer): void {
  stream.respond(headers);
  answer.start(new Http2Sink(stream));
}

class Http2Sink implements Sink {
  readonly #stream: ServerHttp2Stream;
  constructor(stream: ServerHttp2Stream) {
    this.#stream = stream;
  }
  get buffered(): number {
    return this.#stream.writableLength;
  }
  write(_frames: readonly Uint8Array[], joined: Uint8Array): void {
    if (this.#stream.writable) this.#stream.write(joined);
  }
  onDrain(listener: () => void): void {
    if (this.#stream.writableNeedDrain) this.#stream.once('drain', listener);
    else setImmediate(listener);
  }
  end(): void {
    if (this.#stream.writable) this.#stream.end();
  }
  abort(): void {
    this.#stream.close(constants.NGHTTP2_CANCEL);
  }
  onClose(listener: () => void): void {
    this.#stream.once('close', listener);
  }
}
