import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { Answer, Sink, StreamAnswer } from './answer.ts';
import { readBody } from './body.ts';
import { connectionOf } from './connection.ts';
import { pump } from './pump.ts';
import { visitHeaders } from './raw-headers.ts';
import type { Connection, Exchange } from './request.ts';

/** A request that came over HTTP/1.1. */
export class Http1Exchange implements Exchange {
  readonly method: string;
  readonly url: string;
  readonly protocol = 'HTTP/1.1';
  readonly upgrade = false;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  #isConcealed: ((name: string) => boolean) | undefined;

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.request = request;
    this.response = response;
    this.method = request.method as string;
    this.url = originForm(request.url as string);
    response.on('error', ignore);
  }

  get connection(): Connection {
    return connectionOf(this.request.socket, this.request.socket as TLSSocket);
  }

  header(name: string): string | undefined {
    const value = this.request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  eachHeader(visit: (name: string, value: string) => void): void {
    visitHeaders(this.request.rawHeaders, this.#isConcealed, visit);
  }

  conceal(isConcealed: (name: string) => boolean): void {
    const before = this.#isConcealed;
    this.#isConcealed = before ? (name) => before(name) || isConcealed(name) : isConcealed;
  }

  body(limit: number): Promise<Buffer> {
    return readBody(this.request, this.header('content-length'), limit, () => this.request.complete);
  }

  onAbort(listener: () => void): void {
    this.response.once('close', () => {
      if (!this.response.writableFinished) listener();
    });
  }

  onClose(listener: () => void): void {
    if (this.response.destroyed) listener();
    else this.response.once('close', listener);
  }

  abort(): void {
    this.response.destroy();
  }
}

const ignore = () => {};

/** Clients behind some proxies name the whole URL. */
function originForm(target: string): string {
  return target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*(?=\/)/i, '');
}

export function writeHttp1(exchange: Http1Exchange, answer: Answer): void {
  const { response, request } = exchange;
  if (answer.kind === 'taken-over' || response.destroyed || response.headersSent) return;
  const headers: Record<string, string | number | readonly string[]> = { 'content-type': answer.type, ...answer.headers };
  if (hasUnreadBody(request)) discardRest(request);
  if (answer.kind === 'stream') {
    startStream(response, headers, answer);
    return;
  }
  const { body } = answer;
  const whole = typeof body === 'string' || body instanceof Uint8Array;
  if (whole) headers['content-length'] = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
  response.writeHead(answer.status, headers as Record<string, string>);
  if (exchange.method === 'HEAD' || answer.status === 304) response.end();
  else if (whole) response.end(body);
  else pump(body, response);
}

function hasUnreadBody({ complete, headers }: IncomingMessage): boolean {
  return !complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0);
}

const maxDiscardedBytes = 64 << 20;
const maxDiscardMs = 5000;

/** Many clients listen only when they have said everything: closed before that, they would never hear the answer. */
function discardRest(request: IncomingMessage): void {
  const end = () => request.socket.destroy();
  const timer = setTimeout(end, maxDiscardMs);
  request.once('close', () => clearTimeout(timer));
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > maxDiscardedBytes) end();
  });
}

function startStream(
  response: ServerResponse,
  headers: Record<string, string | number | readonly string[]>,
  answer: StreamAnswer,
): void {
  response.writeHead(answer.status, headers as Record<string, string>);
  response.flushHeaders();
  answer.start(new Http1Sink(response));
}

class Http1Sink implements Sink {
  readonly #response: ServerResponse;
  constructor(response: ServerResponse) {
    this.#response = response;
  }
  get buffered(): number {
    return this.#response.writableLength;
  }
  write(_frames: readonly Uint8Array[], joined: Uint8Array): void {
    if (this.#response.writable) this.#response.write(joined);
  }
  onDrain(listener: () => void): void {
    if (this.#response.writableNeedDrain) this.#response.once('drain', listener);
    else setImmediate(listener);
  }
  end(): void {
    if (this.#response.writable) this.#response.end();
  }
  abort(): void {
    this.#response.destroy();
  }
  onClose(listener: () => void): void {
    this.#response.once('close', listener);
  }
}
