import type { TLSSocket } from 'node:tls';
import type { Answer } from '../http/answer.ts';
import type { Exchange } from '../http/request.ts';
import type { TurnBudget } from '../http/turn-budget.ts';
import { Http1Connection, type Http1Host } from './connection.ts';
import { Turns } from './turns.ts';

export interface Http1Options {
  /** Who has not sent a whole header by then is cut off. */
  readonly headerTimeoutMs: number;
  readonly handle: (exchange: Exchange) => Answer | Promise<Answer>;
  readonly onError?: (error: unknown) => void;
  readonly budget?: TurnBudget;
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

export function http1Server({ headerTimeoutMs, handle, onError, budget }: Http1Options): Http1Server {
  const connections = new Set<Http1Connection>();
  let timer: NodeJS.Timeout | undefined;
  let isClosing = false;
  const host: Http1Host = {
    handle,
    onError,
    turns: new Turns(budget),
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
