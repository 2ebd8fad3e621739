/** Requests that had to queue begin for this long in one turn of the event loop. */
const sliceMs = 1.5;

/**
 * Spreads the beginnings of requests that had to queue over turns of the event loop. When seats become free, hundreds of them may
 * begin at once, and would run one right after the other before anybody else is heard.
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

  /** Resolves when the request may begin; undefined if it may now. */
  turn(): Promise<void> | undefined {
    if (!this.#isOpen) this.#open();
    if (this.#waiting.length === 0 && !this.#isSpent()) return undefined;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** A request has begun: its synchronous work is done. The next one follows while the turn lasts. */
  begun(): void {
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

/** Within so many milliseconds of one turn of the loop, answers that are there at once cost nobody a place. */
const freeMs = 10;

/**
 * Seats limit what is under way at one time, and what is answered without a wait never is. But a turn of the loop in
 * which a crowd is answered keeps everybody else waiting: once a turn has lasted too long, seats are kept until its end,
 * so that what comes now has to queue.
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

  /** Calls back now, or at the end of a turn that takes too long. */
  afterwards(finish: () => void): void {
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
