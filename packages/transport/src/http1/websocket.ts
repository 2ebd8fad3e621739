import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import type { Duplex } from 'node:stream';
import type { WebSocket, WebSocketServer } from 'ws';
import type { Sink, StreamAnswer } from '../http/answer.ts';
import type { Exchange } from '../http/exchange.ts';
import type { UpgradeExchange } from './exchange.ts';

/** Answers WebSocket handshakes and sends streams as one message for each frame. */
export class WebSocketAcceptor {
  readonly #allowsSubprotocol: (protocol: string) => boolean;
  #server: WebSocketServer | undefined;

  constructor(allowsSubprotocol: (protocol: string) => boolean = () => true) {
    this.#allowsSubprotocol = allowsSubprotocol;
  }

  accept(exchange: UpgradeExchange, answer: StreamAnswer): void {
    const { socket, head } = exchange.takeOver();
    this.#server ??= this.#load();
    const handshake = handshakeOf(exchange.method, exchange.url, Object.fromEntries(exchange.headers.values));
    this.#server.handleUpgrade(handshake, socket, head, (webSocket) => {
      webSocket.on('error', () => webSocket.terminate());
      answer.start(new WebSocketSink(webSocket, answer.type.includes('json')));
    });
  }

  #load(): WebSocketServer {
    const { WebSocketServer } = ws();
    const handleProtocols = (protocols: Set<string>) => [...protocols].find(this.#allowsSubprotocol) ?? false;
    return new WebSocketServer({ noServer: true, maxPayload: 64 * 1024, perMessageDeflate: false, handleProtocols });
  }
}

/** The parts of a handshake that `ws` reads. */
function handshakeOf(method: string, url: string, headers: Readonly<Record<string, string>>): IncomingMessage {
  return { method, url, headers } as unknown as IncomingMessage;
}

/** As kube-apiserver's WebSocket library allows. */
const maxMessageBytes = 32 << 20;

/**
 * Answers a WebSocket handshake with a subprotocol, or with none if it is empty. The handler then sends and receives messages itself.
 * Responds with an error and rejects if the handshake is invalid.
 */
export function acceptWebSocket(exchange: Exchange, protocol: string): Promise<WebSocket> {
  if (!exchange.takeOver) return Promise.reject(new Error('the request cannot be upgraded'));
  const { socket, head } = exchange.takeOver();
  const headers: Record<string, string> = {};
  exchange.eachHeader((name, value) => {
    headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}, ${value}` : value;
  });
  // `ws` refuses names that are not tokens, such as kubectl's `SPDY/3.1+portforward.k8s.io`.
  delete headers['sec-websocket-protocol'];
  const server = new (ws().WebSocketServer)({ noServer: true, maxPayload: maxMessageBytes, perMessageDeflate: false });
  if (protocol !== '') server.on('headers', (lines) => lines.push(`Sec-WebSocket-Protocol: ${protocol}`));
  return new Promise((resolve, reject) => {
    socket.once('close', () => reject(new Error('the WebSocket handshake failed')));
    const request = handshakeOf(exchange.method, exchange.url, headers);
    server.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.on('error', () => webSocket.terminate());
      resolve(webSocket);
    });
  });
}

/** The messages of a WebSocket as a stream of bytes. */
export function webSocketDuplex(webSocket: WebSocket): Duplex {
  return ws().createWebSocketStream(webSocket);
}

/** Loaded with the first handshake: most servers never see one. */
function ws(): typeof import('ws') {
  return createRequire(import.meta.url)('ws') as typeof import('ws');
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
