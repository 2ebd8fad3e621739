import type { TLSSocket } from 'node:tls';
import type { EventLoopBudget } from '../http/event-loop-budget.ts';
import { type ExchangeHandlerOptions, handleExchange } from '../http/serve.ts';
import { TlsConnection } from '../http/tls-connection.ts';
import { Http2Connection, type Http2ConnectionOptions } from './connection.ts';
import { Http2DispatchQueue } from './dispatch-queue.ts';

/** All HTTP/2 connections. */
export interface Http2Server {
  accept(socket: TLSSocket): void;
  /** Sends GOAWAY on every connection and closes it when its streams are finished. */
  close(): void;
}

export interface Http2Options
  extends ExchangeHandlerOptions,
    Omit<Http2ConnectionOptions, 'dispatchQueue' | 'onExchange' | 'onError'> {
  readonly budget: EventLoopBudget;
}

export function http2Server({ budget, ...settings }: Http2Options): Http2Server {
  const options: Http2ConnectionOptions = {
    ...settings,
    dispatchQueue: new Http2DispatchQueue(budget),
    onExchange: (exchange) => handleExchange(settings, exchange),
    onError: (error) => settings.onError?.(error),
  };
  const connections = new Set<Http2Connection>();
  const intervalMs = Math.ceil(options.headerTimeoutMs / 8);
  let timer: NodeJS.Timeout | undefined;
  const check = () => {
    for (const connection of connections) connection.check(intervalMs);
  };
  return {
    accept(socket) {
      const connection = new Http2Connection(socket, (owner) => new TlsConnection(socket, owner), options);
      connections.add(connection);
      timer ??= setInterval(check, intervalMs).unref();
      socket.once('close', () => {
        connections.delete(connection);
        if (connections.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      });
    },
    close() {
      for (const connection of connections) connection.close();
    },
  };
}
