import { EventLoopBudget } from '../http/event-loop-budget.ts';

/** Header bytes that are handled for free: an ordinary request. */
const freeBytes = 4096;
/** Header bytes beyond that which all connections together hand over in one turn of the event loop. */
const turnBytes = 256 * 1024;
/** Requests that a connection hands over before it is another one's turn, while several wait. */
const quantum = 8;

export interface Http2Dispatchable {
  /** Goes before the others. */
  readonly isUrgent: boolean;
  /** Hands up to `most` requests over, as long as the budget lasts, and waits again if some are left. */
  dispatch(most: number): void;
}

/**
 * Budget per turn of the event loop, shared by all connections: time, and decoded header bytes. By HPACK's index a client can send
 * megabytes of header in a few bytes; whatever reads them is then interrupted by the requests of others. Connections for which a
 * turn has nothing left are served round robin in the next ones.
 */
export class Http2DispatchQueue {
  readonly #budget: EventLoopBudget;
  #left = turnBytes;
  readonly #urgent = new Set<Http2Dispatchable>();
  readonly #waiting = new Set<Http2Dispatchable>();
  #isScheduled = false;

  constructor(budget = new EventLoopBudget()) {
    this.#budget = budget;
  }

  /** Requests have arrived: they are handed over now, or when those before them had their turn. */
  arrived(session: Http2Dispatchable): void {
    if (this.#waiting.size === 0 || session.isUrgent) session.dispatch(Number.POSITIVE_INFINITY);
    else this.wait(session);
  }

  /** Whether a request with a header of this size may be handed over now. The first of a turn always may. */
  take(headerBytes: number, isUrgent: boolean): boolean {
    if (this.#budget.isSpent(isUrgent)) return false;
    if (headerBytes <= freeBytes) return true;
    if (this.#left <= 0) return false;
    this.#left -= headerBytes - freeBytes;
    this.#schedule();
    return true;
  }

  /** Calls `dispatch` in a later turn, in the order of calls. */
  wait(session: Http2Dispatchable): void {
    (session.isUrgent ? this.#urgent : this.#waiting).add(session);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#next);
  }

  #next = (): void => {
    this.#isScheduled = false;
    this.#left = turnBytes;
    this.#budget.renew();
    this.#dispatchAll(this.#urgent, true);
    this.#dispatchAll(this.#waiting, false);
    if (this.#urgent.size + this.#waiting.size > 0) this.#schedule();
  };

  /** Those that have more to hand over come again when all others had their turn. */
  #dispatchAll(sessions: Set<Http2Dispatchable>, isUrgent: boolean): void {
    for (const session of sessions) {
      if (this.#left <= 0 || this.#budget.isSpent(isUrgent)) return;
      sessions.delete(session);
      session.dispatch(quantum);
    }
  }
}
