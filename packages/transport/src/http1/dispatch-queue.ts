import { EventLoopBudget } from '../http/event-loop-budget.ts';

/** A connection with a request to serve. */
export interface Http1Dispatchable {
  /** Dispatched before the others. */
  readonly isUrgent: boolean;
  /** Parses the request and calls the handler. */
  dispatch(): void;
  /** Writes the answer if it is ready. */
  flush(): void;
}

/** Answers are written for this long per event loop iteration. */
const flushMs = 1.5;
const none: readonly Http1Dispatchable[] = [];

/**
 * Serves the requests that arrived in one event loop iteration one right after the other, then writes their answers. System calls
 * evict the code from the CPU caches: a request served between two of them takes three times as long. Connections for which
 * the time slice has no room come first in the next iteration.
 */
export class Http1DispatchQueue {
  readonly #budget: EventLoopBudget;
  #urgent: Http1Dispatchable[] = [];
  #ordinary: Http1Dispatchable[] = [];
  #unflushed: readonly Http1Dispatchable[] = none;
  #isScheduled = false;
  #isOverloaded = false;

  constructor(budget = new EventLoopBudget()) {
    this.#budget = budget;
  }

  /** Whether the last iteration left connections waiting. */
  get isOverloaded(): boolean {
    return this.#isOverloaded;
  }

  add(connection: Http1Dispatchable): void {
    (connection.isUrgent ? this.#urgent : this.#ordinary).push(connection);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#run);
  }

  #run = (): void => {
    this.#isScheduled = false;
    this.#budget.renew();
    const [urgent, ordinary] = [this.#urgent, this.#ordinary];
    this.#urgent = [];
    this.#ordinary = [];
    const urgentCount = this.#dispatch(urgent, true);
    const count = this.#unflushed.length > 0 ? 0 : this.#dispatch(ordinary, false);
    for (let i = 0; i < urgentCount; i++) (urgent[i] as Http1Dispatchable).flush();
    this.#flush(count < ordinary.length ? ordinary.slice(0, count) : ordinary);
    this.#isOverloaded = count < ordinary.length || this.#unflushed.length > 0;
    if (urgentCount < urgent.length) this.#urgent = [...urgent.slice(urgentCount), ...this.#urgent];
    if (count < ordinary.length) this.#ordinary = [...ordinary.slice(count), ...this.#ordinary];
    if (this.#urgent.length + this.#ordinary.length + this.#unflushed.length > 0) this.#schedule();
  };

  /** Large answers take long to write: the rest is written in the next iteration, before ordinary requests are dispatched. */
  #flush(dispatched: readonly Http1Dispatchable[]): void {
    const unflushed = this.#unflushed.length > 0 ? [...this.#unflushed, ...dispatched] : dispatched;
    const began = performance.now();
    let flushed = 0;
    for (; flushed < unflushed.length && performance.now() - began < flushMs; flushed++)
      (unflushed[flushed] as Http1Dispatchable).flush();
    this.#unflushed = flushed < unflushed.length ? unflushed.slice(flushed) : none;
  }

  /** Returns how many were dispatched within the time slice. */
  #dispatch(queue: readonly Http1Dispatchable[], isUrgent: boolean): number {
    let count = 0;
    for (; count < queue.length && !this.#budget.isSpent(isUrgent); count++) (queue[count] as Http1Dispatchable).dispatch();
    return count;
  }
}
