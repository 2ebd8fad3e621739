import type { TLSSocket } from 'node:tls';
import type { TurnBudget } from '../http/event-loop-budget.ts';
import { TlsConnection } from '../http/tls-connection.ts';
import { Session, type SessionOptions } from './connection.ts';
import { DispatchTurns } from './dispatch-queue.ts';

/** All connections that speak HTTP/2. */
export interface Http2Server {
  accept(socket: TLSSocket): void;
  /** Tells every client to go. */
  close(): void;
}

export interface Http2Options extends Omit<SessionOptions, 'turns'> {
  readonly budget: TurnBudget;
}

export function http2Server({ budget, ...limits }: Http2Options): Http2Server {
  const options: SessionOptions = { ...limits, turns: new DispatchTurns(budget) };
  const sessions = new Set<Session>();
  const intervalMs = Math.ceil(options.headerTimeoutMs / 8);
  let timer: NodeJS.Timeout | undefined;
  const check = () => {
    for (const session of sessions) session.check(intervalMs);
  };
  return {
    accept(socket) {
      const session = new Session(socket, (owner) => new TlsConnection(socket, owner), options);
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
