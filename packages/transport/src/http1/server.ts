import type { TLSSocket } from 'node:tls';
import type { Answer } from '../http/answer.ts';
import type { EventLoopBudget } from '../http/event-loop-budget.ts';
import type { Exchange } from '../http/exchange.ts';
import { Http1Connection, type Http1Host } from './connection.ts';
import { Http1DispatchQueue } from './dispatch-queue.ts';
import { methodNotAllowed, type TypedText } from './http-error.ts';
import { WebSocketAcceptor } from './websocket.ts';

export interface Http1Options {
  /** Who has not sent a whole header by then is cut off. */
  readonly headerTimeoutMs: number;
  readonly handle: (exchange: Exchange) => Answer | Promise<Answer>;
  readonly onError?: (error: unknown) => void;
  readonly budget?: EventLoopBudget;
  /** Whether a WebSocket subprotocol may be selected; the first such of the client's is. All may by default. */
  readonly allowsSubprotocol?: (protocol: string) => boolean;
  /** Body of the 405 that answers CONNECT; plain text by default. */
  readonly connectAnswer?: TypedText;
}

export interface Http1Server {
  /** Speaks with whoever is at the other end from now on. */
  accept(socket: TLSSocket): void;
  /** Ends connections once they are idle. */
  close(): void;
}

const checkIntervalMs = 1000;
/** While the server closes, a client that has said nothing yet is not waited for. */
const closingHeaderTimeoutMs = 1000;

const plainMethodNotAllowed: TypedText = { type: 'text/plain; charset=utf-8', body: '405 Method Not Allowed' };

export function http1Server(options: Http1Options): Http1Server {
  const { headerTimeoutMs, handle, onError, budget, connectAnswer = plainMethodNotAllowed } = options;
  const connections = new Set<Http1Connection>();
  let timer: NodeJS.Timeout | undefined;
  let isClosing = false;
  const host: Http1Host = {
    handle,
    onError,
    turns: new Http1DispatchQueue(budget),
    webSockets: new WebSocketAcceptor(options.allowsSubprotocol),
    connectRefusal: methodNotAllowed(connectAnswer),
    get isClosing() {
      return isClosing;
    },
    get headerTimeoutMs() {
      return isClosing ? Math.min(headerTimeoutMs, closingHeaderTimeoutMs) : headerTimeoutMs;
    },
    forget(connection) {
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
    close() {
      isClosing = true;
      for (const connection of connections) connection.closeWhenIdle();
    },
  };
}
