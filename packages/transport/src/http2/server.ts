import type { TLSSocket } from 'node:tls';
import type { EventLoopBudget } from '../http/event-loop-budget.ts';
import { TlsConnection } from '../http/tls-connection.ts';
import { Http2Connection, type Http2ConnectionOptions } from './connection.ts';
import { Http2DispatchQueue } from './dispatch-queue.ts';

/** All connections that speak HTTP/2. */
export interface Http2Server {
  accept(socket: TLSSocket): void;
  /** Tells every client to go. */
  close(): void;
}

export interface Http2Options extends Omit<Http2ConnectionOptions, 'turns'> {
  readonly budget: EventLoopBudget;
}

export function http2Server({ budget, ...limits }: Http2Options): Http2Server {
  const options: Http2ConnectionOptions = { ...limits, turns: new Http2DispatchQueue(budget) };
  const sessions = new Set<Http2Connection>();
  const intervalMs = Math.ceil(options.headerTimeoutMs / 8);
  let timer: NodeJS.Timeout | undefined;
  const check = () => {
    for (const session of sessions) session.check(intervalMs);
  };
  return {
    accept(socket) {
      const session = new Http2Connection(socket, (owner) => new TlsConnection(socket, owner), options);
      sessions.add(session);
      timer ??= setInterval(check, intervalMs).unref();
      socket.once('close', () => {
        sessions.delete(session);
        if (sessions.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      });
    },
    close() {
      for (const session of sessions) session.close();
    },
  };
}
