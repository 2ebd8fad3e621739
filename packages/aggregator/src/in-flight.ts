/** Requests of one API that wait for the head of their response. A backend that hangs holds no more. */
const maxWaiting = 1000;
/** Requests of one API, with watches and other streams. */
const maxOpen = 10_000;

/** Bounds the requests that a backend holds at a time. */
export class InFlight {
  #waiting = 0;
  #open = 0;

  /** False if there are too many. Otherwise `answered` or `failed` must follow. */
  enter(): boolean {
    if (this.#waiting >= maxWaiting || this.#open >= maxOpen) return false;
    this.#waiting++;
    this.#open++;
    return true;
  }

  /** The head of the response has arrived; `left` must follow. */
  answered(): void {
    this.#waiting--;
  }

  /** The response is complete. */
  left(): void {
    this.#open--;
  }

  /** There is no response. */
  failed(): void {
    this.#waiting--;
    this.#open--;
  }
}
