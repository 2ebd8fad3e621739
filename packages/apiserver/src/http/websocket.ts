import { type IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { TLSSocket } from 'node:tls';
import type { WebSocket, WebSocketServer } from 'ws';
import { isTokenProtocol } from '../authentication/websocket-token.ts';
import type { Answer, BytesAnswer, Sink, StreamAnswer } from './answer.ts';
import { connectionOf } from './connection.ts';
import { Http1Exchange, writeHttp1 } from './http1.ts';
import { visitHeaders } from './raw-headers.ts';
import type { Connection, Exchange, TakenConnection } from './request.ts';

/** A WebSocket handshake: the request comes in as any other, a stream goes out as one message for each frame. */
export class UpgradeExchange implements Exchange {
  readonly method: string;
  readonly url: string;
  readonly protocol = 'HTTP/1.1';
  readonly upgrade: boolean;
  readonly request: IncomingMessage;
  readonly socket: TLSSocket;
  readonly head: Buffer;
  #isConcealed: ((name: string) => boolean) | undefined;

  constructor(request: IncomingMessage, socket: TLSSocket, head: Buffer) {
    this.request = request;
    this.socket = socket;
    this.head = head;
    this.method = request.method as string;
    this.url = request.url as string;
    this.upgrade = request.headers.upgrade?.toLowerCase() === 'websocket';
  }

  get connection(): Connection {
    return connectionOf(this.socket, this.socket);
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

  body(): Promise<Buffer> {
    return Promise.resolve(Buffer.alloc(0));
  }

  takeOver(): TakenConnection {
    return { socket: this.socket, head: this.head };
  }

  onAbort(listener: () => void): void {
    this.socket.once('close', listener);
  }

  onClose(listener: () => void): void {
    if (this.socket.destroyed) listener();
    else this.socket.once('close', listener);
  }

  abort(): void {
    this.socket.destroy();
  }
}

export async function answerUpgrade(
  request: IncomingMessage,
  socket: TLSSocket,
  head: Buffer,
  handle: (exchange: Exchange) => Answer | Promise<Answer>,
): Promise<void> {
  socket.on('error', () => socket.destroy());
  const exchange = new UpgradeExchange(request, socket, head);
  const answer = await handle(exchange);
  if (answer.kind === 'taken-over') return;
  if (answer.kind === 'stream' && exchange.upgrade) acceptWebSocket(exchange, answer);
  else answerPlainly(exchange, answer);
}

let acceptor: WebSocketServer | undefined;

/** Loaded with the first handshake: most servers never see one. */
function webSocketAcceptor(): WebSocketServer {
  const { WebSocketServer } = createRequire(import.meta.url)('ws') as typeof import('ws');
  acceptor ??= new WebSocketServer({ noServer: true, maxPayload: 64 * 1024, perMessageDeflate: false, handleProtocols });
  return acceptor;
}

/** The first that is not a token in disguise: a token is not sent back. */
function handleProtocols(protocols: Set<string>): string | false {
  return [...protocols].find((protocol) => !isTokenProtocol(protocol)) ?? false;
}

function acceptWebSocket(exchange: UpgradeExchange, answer: StreamAnswer): void {
  webSocketAcceptor().handleUpgrade(exchange.request, exchange.socket, exchange.head, (socket) => {
    socket.on('error', () => socket.terminate());
    answer.start(new WebSocketSink(socket, answer.type.includes('json')));
  });
}

const drainPollMs = 20;

class WebSocketSink implements Sink {
  readonly #socket: WebSocket;
  readonly #text: boolean;
  constructor(socket: WebSocket, text: boolean) {
    this.#socket = socket;
    this.#text = text;
  }
  get buffered(): number {
    return this.#socket.bufferedAmount;
  }
  write(frames: readonly Uint8Array[]): void {
    for (const frame of frames) this.#socket.send(frame, { binary: !this.#text });
  }
  onDrain(listener: () => void): void {
    if (this.#socket.bufferedAmount === 0 || this.#socket.readyState !== this.#socket.OPEN) listener();
    else setTimeout(() => this.onDrain(listener), drainPollMs);
  }
  end(): void {
    this.#socket.close(1000);
  }
  abort(): void {
    this.#socket.terminate();
  }
  onClose(listener: () => void): void {
    this.#socket.once('close', listener);
  }
}

/** A handshake that leads nowhere is answered as the plain request it also is. */
function answerPlainly({ request, socket }: UpgradeExchange, answer: BytesAnswer | StreamAnswer): void {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once('finish', () => socket.end());
  writeHttp1(new Http1Exchange(request, response), answer);
}
