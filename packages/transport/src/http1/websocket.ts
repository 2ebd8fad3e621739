import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import type { WebSocket, WebSocketServer } from 'ws';
import type { Sink, StreamAnswer } from '../http/answer.ts';
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
    this.#server.handleUpgrade(handshakeOf(exchange), socket, head, (webSocket) => {
      webSocket.on('error', () => webSocket.terminate());
      answer.start(new WebSocketSink(webSocket, answer.type.includes('json')));
    });
  }

  /** Loaded with the first handshake: most servers never see one. */
  #load(): WebSocketServer {
    const { WebSocketServer } = createRequire(import.meta.url)('ws') as typeof import('ws');
    const handleProtocols = (protocols: Set<string>) => [...protocols].find(this.#allowsSubprotocol) ?? false;
    return new WebSocketServer({ noServer: true, maxPayload: 64 * 1024, perMessageDeflate: false, handleProtocols });
  }
}

/** The parts of a handshake that `ws` reads. */
function handshakeOf({ method, url, headers }: UpgradeExchange): IncomingMessage {
  return { method, url, headers: Object.fromEntries(headers.values) } as unknown as IncomingMessage;
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
