import type { Socket } from 'node:net';

/** TLS handshakes that begin in one turn of the event loop: each takes about half a millisecond. */
const perTurn = 4;
/** Connections beyond this many are closed, as if the backlog of the port were full. */
const maxWaiting = 4096;

/**
 * Spreads the TLS handshakes of new connections over turns of the event loop. When hundreds of clients connect at once, those who are
 * connected already are served in between.
 */
export class HandshakeQueue {
  readonly #begin: (socket: Socket) => void;
  #waiting: Socket[] = [];
  #begun = 0;
  #isScheduled = false;

  constructor(begin: (socket: Socket) => void) {
    this.#begin = begin;
  }

  /** The socket must not have been read from. */
  add(socket: Socket): void {
    if (this.#waiting.length >= maxWaiting) return void socket.destroy();
    this.#schedule();
    if (this.#waiting.length === 0 && this.#begun < perTurn) this.#start(socket);
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
    const turn = this.#waiting.slice(0, perTurn);
    this.#waiting = this.#waiting.slice(perTurn);
    for (const socket of turn) this.#start(socket);
  };
}
