/** Somebody who has a request to be answered. */
export interface Waiting {
  /** Has it answered. */
  take(): void;
  /** Sends what is ready of the answer. */
  send(): void;
}

/**
 * Requests that arrive in the same turn of the loop are answered one right after the other, and what was answered is sent then.
 * Between system calls the processor has forgotten what it knew of the code: a request in between two takes three times as long.
 */
export class Turns {
  #waiting: Waiting[] = [];

  add(waiting: Waiting): void {
    if (this.#waiting.push(waiting) === 1) setImmediate(this.#run);
  }

  #run = (): void => {
    const turn = this.#waiting;
    this.#waiting = [];
    for (const each of turn) each.take();
    for (const each of turn) each.send();
  };
}
