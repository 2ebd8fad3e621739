/** Time slice for starting dispatched requests in one iteration of the event loop. */
const sliceMs = 1.5;

/**
 * Spreads the start of dispatched requests over iterations of the event loop. When seats are freed, hundreds of queued requests
 * may be dispatched at once, and would otherwise run back to back.
 */
export class DispatchPacer {
  readonly #now: () => number;
  #waiting: (() => void)[] = [];
  #began = 0;
  #isOpen = false;

  /** `now` is in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Resolves when the request may start; undefined if it may start now. */
  whenReady(): Promise<void> | undefined {
    if (!this.#isOpen) this.#open();
    if (this.#waiting.length === 0 && !this.#isSpent()) return undefined;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Call after the synchronous part of a request; starts the next one within the time slice. */
  started(): void {
    if (this.#waiting.length > 0 && !this.#isSpent()) this.#waiting.shift()?.();
  }

  #isSpent(): boolean {
    return this.#now() - this.#began > sliceMs;
  }

  #open(): void {
    this.#isOpen = true;
    this.#began = this.#now();
    setImmediate(this.#close);
  }

  #close = (): void => {
    this.#isOpen = false;
    if (this.#waiting.length === 0) return;
    this.#open();
    this.#waiting.shift()?.();
  };
}

/** Requests answered synchronously release their seats at once for this long in an iteration of the event loop. */
const freeMs = 10;

/**
 * Releases the seats of requests that were answered synchronously. Such requests never overlap, so they would never fill the
 * seats, but many of them in one iteration of the event loop delay all others. After `freeMs`, seats are held until the end of
 * the iteration, so that further requests queue.
 */
export class SeatReleaser {
  readonly #now: () => number;
  readonly #ending: (() => void)[] = [];
  #began = 0;
  #isWatching = false;

  /** `now` is in milliseconds. */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Calls back now, or at the end of an iteration that takes too long. */
  release(finish: () => void): void {
    if (!this.#isWatching) this.#begin();
    else if (this.#now() - this.#began > freeMs) return void this.#ending.push(finish);
    finish();
  }

  #begin(): void {
    this.#isWatching = true;
    this.#began = this.#now();
    setImmediate(this.#end);
  }

  #end = (): void => {
    this.#isWatching = false;
    for (const finish of this.#ending.splice(0)) finish();
  };
}
