import type { TLSSocket } from 'node:tls';
import type { EventLoopBudget } from '../http/event-loop-budget.ts';
import type { ExchangeHandlerOptions } from '../http/serve.ts';
import { Http1Connection, type Http1Host } from './connection.ts';
import { Http1DispatchQueue } from './dispatch-queue.ts';
import { methodNotAllowed, type TypedText } from './http-error.ts';
import { WebSocketAcceptor } from './websocket.ts';

export interface Http1Options extends ExchangeHandlerOptions {
  /** Clients that have not sent a whole header by then are disconnected. */
  readonly headerTimeoutMs: number;
  readonly budget?: EventLoopBudget;
  /** Whether a WebSocket subprotocol may be selected: the first allowed one is. All are allowed by default. */
  readonly allowsSubprotocol?: (protocol: string) => boolean;
  /** Body of the 405 that answers CONNECT; plain text by default. */
  readonly connectAnswer?: TypedText;
}

export interface Http1Server {
  /** Takes over a socket whose client speaks HTTP/1.1. */
  accept(socket: TLSSocket): void;
  /** From now on, every answer is the last one of its connection. Idle connections stay open. */
  retire(): void;
  /** Closes connections once they are idle. */
  close(): void;
}

const checkIntervalMs = 1000;
/** Header timeout while the server is closing. */
const closingHeaderTimeoutMs = 1000;

const plainMethodNotAllowed: TypedText = { type: 'text/plain; charset=utf-8', body: '405 Method Not Allowed' };

export function http1Server(options: Http1Options): Http1Server {
  const { headerTimeoutMs, handle, onError, budget, connectAnswer = plainMethodNotAllowed } = options;
  const connections = new Set<Http1Connection>();
  let timer: NodeJS.Timeout | undefined;
  let isRetiring = false;
  let isClosing = false;
  const host: Http1Host = {
    handle,
    onError,
    dispatchQueue: new Http1DispatchQueue(budget),
    webSockets: new WebSocketAcceptor(options.allowsSubprotocol),
    connectRefusal: methodNotAllowed(connectAnswer),
    get isClosing() {
      return isClosing;
    },
    get isRetiring() {
      return isRetiring;
    },
    get headerTimeoutMs() {
      return isClosing ? Math.min(headerTimeoutMs, closingHeaderTimeoutMs) : headerTimeoutMs;
    },
    remove(connection) {
      connections.delete(connection);
      if (connections.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    },
  };
  const check = () => {
    const now = performance.now();
    for (const connection of connections) connection.check(now);
  };
  return {
    accept(socket) {
      connections.add(new Http1Connection(socket, host));
      timer ??= setInterval(check, Math.min(checkIntervalMs, headerTimeoutMs / 8)).unref();
    },
    retire() {
      isRetiring = true;
    },
    close() {
      isRetiring = true;
      isClosing = true;
      for (const connection of connections) connection.closeWhenIdle();
    },
  };
}
