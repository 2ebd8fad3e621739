import type { Socket } from 'node:net';

/** TLS handshakes started per event loop iteration: each takes about half a millisecond. */
const perIteration = 4;
/** Connections beyond this many are closed, as if the listen backlog were full. */
const maxWaiting = 4096;

/**
 * Spreads TLS handshakes over event loop iterations, so that requests on open connections are served while hundreds of clients
 * connect at once.
 */
export class HandshakeQueue {
  readonly #begin: (socket: Socket) => void;
  #waiting: Socket[] = [];
  #begun = 0;
  #isScheduled = false;

  constructor(begin: (socket: Socket) => void) {
    this.#begin = begin;
  }

  /** The socket must be paused and unread. */
  add(socket: Socket): void {
    if (this.#waiting.length >= maxWaiting) return void socket.destroy();
    this.#schedule();
    if (this.#waiting.length === 0 && this.#begun < perIteration) this.#start(socket);
    else this.#waiting.push(socket);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#next);
  }

  #start(socket: Socket): void {
    if (socket.destroyed) return;
    this.#begun++;
    this.#begin(socket);
  }

  #next = (): void => {
    this.#isScheduled = false;
    this.#begun = 0;
    if (this.#waiting.length === 0) return;
    this.#schedule();
    const batch = this.#waiting.slice(0, perIteration);
    this.#waiting = this.#waiting.slice(perIteration);
    for (const socket of batch) this.#start(socket);
  };
}
