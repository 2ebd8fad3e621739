import { EventLoopBudget } from '../http/event-loop-budget.ts';

/** Header bytes per request that are not charged: more than an ordinary request has. */
const freeBytes = 4096;
/** Header bytes beyond that which all connections together may dispatch per event loop iteration. */
const iterationBytes = 256 * 1024;
/** Requests that a connection dispatches before the next connection, while several wait. */
const quantum = 8;

export interface Http2Dispatchable {
  /** Dispatched before the others. */
  readonly isUrgent: boolean;
  /** Dispatches up to `most` requests, as far as the budget allows, and waits again if some are left. */
  dispatch(most: number): void;
}

/**
 * Budget per event loop iteration, shared by all connections: time, and decoded header bytes. With HPACK's index a client can send
 * megabytes of headers in a few bytes; handling them must not delay the requests of others. Connections that exceed the
 * budget are served round robin in later iterations.
 */
export class Http2DispatchQueue {
  readonly #budget: EventLoopBudget;
  #bytesLeft = iterationBytes;
  readonly #urgent = new Set<Http2Dispatchable>();
  readonly #ordinary = new Set<Http2Dispatchable>();
  #isScheduled = false;

  constructor(budget = new EventLoopBudget()) {
    this.#budget = budget;
  }

  /** Dispatches the requests that have arrived, now or after those of waiting connections. */
  arrived(connection: Http2Dispatchable): void {
    if (this.#ordinary.size === 0 || connection.isUrgent) connection.dispatch(Number.POSITIVE_INFINITY);
    else this.wait(connection);
  }

  /** Whether a request with a header of this size may be dispatched now. The first one of an iteration always may. */
  take(headerBytes: number, isUrgent: boolean): boolean {
    if (this.#budget.isSpent(isUrgent)) return false;
    if (headerBytes <= freeBytes) return true;
    if (this.#bytesLeft <= 0) return false;
    this.#bytesLeft -= headerBytes - freeBytes;
    this.#schedule();
    return true;
  }

  /** Calls `dispatch` in a later iteration, in the order of calls. */
  wait(connection: Http2Dispatchable): void {
    (connection.isUrgent ? this.#urgent : this.#ordinary).add(connection);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#run);
  }

  #run = (): void => {
    this.#isScheduled = false;
    this.#bytesLeft = iterationBytes;
    this.#budget.renew();
    this.#dispatchAll(this.#urgent, true);
    this.#dispatchAll(this.#ordinary, false);
    if (this.#urgent.size + this.#ordinary.size > 0) this.#schedule();
  };

  /** A connection with more requests re-enters at the end of the set. */
  #dispatchAll(connections: Set<Http2Dispatchable>, isUrgent: boolean): void {
    for (const connection of connections) {
      if (this.#bytesLeft <= 0 || this.#budget.isSpent(isUrgent)) return;
      connections.delete(connection);
      connection.dispatch(quantum);
    }
  }
}
