import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Answer } from '../../http/answer.ts';
import type { Exchange } from '../../http/exchange.ts';
import { type Http1Server, http1Server } from '../server.ts';

export interface Listening {
  readonly http1: Http1Server;
  readonly errors: unknown[];
  /** The sockets of the server. */
  readonly sockets: Socket[];
  open(): Promise<TestClient>;
  stop(): Promise<void>;
}

/** An HTTP/1.1 server on plain TCP. */
export async function serveHttp1(
  handle: (exchange: Exchange) => Answer | Promise<Answer>,
  headerTimeoutMs = 10_000,
): Promise<Listening> {
  const errors: unknown[] = [];
  const sockets: Socket[] = [];
  const http1 = http1Server({ handle, headerTimeoutMs, onError: (error) => errors.push(error) });
  const server: Server = createServer((socket) => {
    sockets.push(socket);
    http1.accept(socket as TLSSocket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    http1,
    errors,
    sockets,
    open: () => TestClient.open(port),
    stop: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
}

const timeoutMs = 5000;

/** The client side of a connection. */
export class TestClient {
  readonly socket: Socket;
  received = '';
  #changed: () => void = () => {};

  static async open(port: number): Promise<TestClient> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new TestClient(socket);
  }

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      this.received += chunk.toString('latin1');
      this.#changed();
    });
    socket.on('close', () => this.#changed());
  }

  send(text: string): this {
    this.socket.write(text, 'latin1');
    return this;
  }

  /** Waits until enough has been received, or the connection is closed. */
  async until(isEnough: (text: string) => boolean): Promise<string> {
    const end = performance.now() + timeoutMs;
    while (!isEnough(this.received) && !this.socket.closed) {
      if (performance.now() > end) throw new Error(`received only ${JSON.stringify(this.received.slice(-500))}`);
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
        setTimeout(resolve, 100);
      });
      // Long texts are not checked after each chunk.
      if (this.received.length > 100_000) await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return this.received;
  }

  /** Waits for `count` bodies, each of which is `<…>`. */
  async bodies(count: number): Promise<string[]> {
    await this.until(() => this.#bodies().length >= count);
    return this.#bodies();
  }

  #bodies(): string[] {
    return [...this.received.matchAll(/<[^<>]*>/g)].map(([body]) => body);
  }

  /** Everything received, once the server has closed the connection. */
  closed(): Promise<string> {
    return this.until(() => false);
  }
}

export const textAnswer = (body: string, status = 200): Answer => ({ kind: 'bytes', status, type: 'text/plain', body });
