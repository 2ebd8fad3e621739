import type { Socket } from 'node:net';

/**
 * Calls back when the client has taken what is queued for it, and everybody else has had a turn: while a socket takes
 * everything at once, Node tells so without one, and whoever writes on would keep the loop to himself.
 */
export function whenDrained(socket: Socket, listener: () => void): void {
  if (socket.writableNeedDrain) socket.once('drain', () => setImmediate(listener));
  else setImmediate(listener);
}
