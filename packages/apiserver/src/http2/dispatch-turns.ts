/** Header bytes that are handled for free: an ordinary request. */
const freeBytes = 4096;
/** Header bytes beyond that which all connections together hand over in one turn of the event loop. */
const turnBytes = 256 * 1024;

export interface Dispatching {
  /** Hands requests over as long as the budget lasts. */
  dispatch(): void;
}

/**
 * Budget of decoded header bytes per turn of the event loop, shared by all connections. By HPACK's index a client can send
 * megabytes of header in a few bytes; whatever reads them is then interrupted by the requests of others.
 */
export class DispatchTurns {
  #left = turnBytes;
  #waiting = new Set<Dispatching>();
  #isScheduled = false;

  /** Whether a request with a header of this size may be handed over now. The first of a turn always may. */
  take(headerBytes: number): boolean {
    if (headerBytes <= freeBytes) return true;
    if (this.#left <= 0) return false;
    this.#left -= headerBytes - freeBytes;
    this.#schedule();
    return true;
  }

  /** Calls `dispatch` in a later turn, in the order of calls. */
  wait(session: Dispatching): void {
    this.#waiting.add(session);
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
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const session of waiting) {
      if (this.#left > 0) session.dispatch();
      else this.wait(session);
    }
  };
}
