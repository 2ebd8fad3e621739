/**
 * Remembers that changes of other processes have been looked for, until the running callback of the event loop returns. The
 * requests that a callback handles were received before it began, so one look suffices for all of them: a write that was
 * acknowledged to a client before it sent its request is found. Looking takes microseconds, and each request does it more than once.
 */
export class CaughtUp {
  #isSet = false;
  readonly #reset = (): void => {
    this.#isSet = false;
  };

  get isSet(): boolean {
    return this.#isSet;
  }

  set(): void {
    if (this.#isSet) return;
    this.#isSet = true;
    queueMicrotask(this.#reset);
  }
}
