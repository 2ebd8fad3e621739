/** Requests that may wait are handed over for this long before the event loop looks at its sockets again. */
const sliceMs = 1.5;
/** Health checks and system traffic are handed over for this long. */
const urgentSliceMs = 10;

/**
 * Time that one turn of the event loop may spend on requests, shared by all connections and protocols: under overload a client on
 * another connection is heard after a slice, not after everybody else. The clock is not read here: whoever measures requests sets `at`.
 */
export class EventLoopBudget {
  /** Time of the last measurement, in milliseconds. */
  at = 0;
  #began = 0;
  #isOpen = false;
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** A slice begins. */
  renew(): void {
    this.#began = this.at = this.#now();
    if (this.#isOpen) return;
    this.#isOpen = true;
    setImmediate(this.#close);
  }

  /** Whether what comes now has to wait for a later turn. The first request of a turn never has to. */
  isSpent(isUrgent: boolean): boolean {
    if (!this.#isOpen) {
      this.renew();
      return false;
    }
    return this.at - this.#began > (isUrgent ? urgentSliceMs : sliceMs);
  }

  /** Counts work of this length that a request leaves to a later moment of the same turn. */
  charge(ms: number): void {
    this.#began -= ms;
  }

  #close = (): void => {
    this.#isOpen = false;
  };
}
