/** Ordinary requests are dispatched for this long before the event loop polls its sockets again. */
const sliceMs = 1.5;
/** Health checks and system traffic are dispatched for this long. */
const urgentSliceMs = 10;

/**
 * Time slice that one iteration of the event loop spends on requests, shared by all connections and protocols: under overload a
 * request on another connection waits for one slice, not for everything that arrived before it. The clock is not read
 * here: the code that measures requests sets `at`.
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

  /** Begins a slice. */
  renew(): void {
    this.#began = this.at = this.#now();
    if (this.#isOpen) return;
    this.#isOpen = true;
    setImmediate(this.#close);
  }

  /** Whether a request has to wait for a later iteration. The first request of an iteration never has to. */
  isSpent(isUrgent: boolean): boolean {
    if (!this.#isOpen) {
      this.renew();
      return false;
    }
    return this.at - this.#began > (isUrgent ? urgentSliceMs : sliceMs);
  }

  /** Charges work of this length that a request defers to a later moment of the same iteration. */
  charge(ms: number): void {
    this.#began -= ms;
  }

  #close = (): void => {
    this.#isOpen = false;
  };
}
