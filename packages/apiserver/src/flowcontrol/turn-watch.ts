/** Within so many milliseconds of one turn of the loop, answers that are there at once cost nobody a place. */
const freeMs = 10;

/**
 * Seats limit what is under way at one time, and what is answered without a wait never is. But a turn of the loop in
 * which a crowd is answered keeps everybody else waiting: once a turn has lasted too long, seats are kept until its end,
 * so that what comes now has to queue.
 */
export class TurnWatch {
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
