import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Answer } from '../../http/answer.ts';
import type { Exchange } from '../../http/exchange.ts';
import { type Http1Server, http1Server } from '../server.ts';

export interface Listening {
  readonly http1: Http1Server;
  readonly errors: unknown[];
  /** The server's ends of the connections. */
  readonly sockets: Socket[];
  open(): Promise<Talk>;
  stop(): Promise<void>;
}

/** The server without TLS, which it does not look at. */
export async function serve(
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
    open: () => Talk.open(port),
    stop: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
}

const patienceMs = 5000;

/** The client's end of a connection. */
export class Talk {
  readonly socket: Socket;
  received = '';
  #changed: () => void = () => {};

  static async open(port: number): Promise<Talk> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new Talk(socket);
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

  say(text: string): this {
    this.socket.write(text, 'latin1');
    return this;
  }

  /** Waits until this has been heard, or the connection is closed. */
  async until(isEnough: (text: string) => boolean): Promise<string> {
    const end = performance.now() + patienceMs;
    while (!isEnough(this.received) && !this.socket.closed) {
      if (performance.now() > end) throw new Error(`heard only ${JSON.stringify(this.received.slice(-500))}`);
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
        setTimeout(resolve, 100);
      });
      // Looking at a long text after each piece of it would take longer than sending it.
      if (this.received.length > 100_000) await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return this.received;
  }

  /** So many bodies, which are told by where they end: each is `<…>`. */
  async bodies(count: number): Promise<string[]> {
    await this.until(() => this.#bodies().length >= count);
    return this.#bodies();
  }

  #bodies(): string[] {
    return [...this.received.matchAll(/<[^<>]*>/g)].map(([body]) => body);
  }

  /** Everything, when the server has closed the connection. */
  closed(): Promise<string> {
    return this.until(() => false);
  }
}

export const text = (body: string, status = 200): Answer => ({ kind: 'bytes', status, type: 'text/plain', body });
