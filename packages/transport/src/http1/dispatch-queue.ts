import { EventLoopBudget } from '../http/event-loop-budget.ts';

/** Somebody who has a request to be answered. */
export interface Http1Dispatchable {
  /** Goes before the others. */
  readonly isUrgent: boolean;
  /** Has it answered. */
  take(): void;
  /** Sends what is ready of the answer. */
  send(): void;
}

/** Answers are sent for this long in one turn. */
const sendMs = 1.5;
const none: readonly Http1Dispatchable[] = [];

/**
 * Requests that arrive in the same turn of the loop are answered one right after the other, and what was answered is sent then.
 * Between system calls the processor has forgotten what it knew of the code: a request in between two takes three times as long.
 * Those for whom a turn has no time left come first in the next.
 */
export class Http1DispatchQueue {
  readonly #budget: EventLoopBudget;
  #urgent: Http1Dispatchable[] = [];
  #waiting: Http1Dispatchable[] = [];
  #unsent: readonly Http1Dispatchable[] = none;
  #isScheduled = false;
  #isOverloaded = false;

  constructor(budget = new EventLoopBudget()) {
    this.#budget = budget;
  }

  /** Whether the last turn had no time for some. */
  get isOverloaded(): boolean {
    return this.#isOverloaded;
  }

  add(waiting: Http1Dispatchable): void {
    (waiting.isUrgent ? this.#urgent : this.#waiting).push(waiting);
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
    const [urgent, waiting] = [this.#urgent, this.#waiting];
    this.#urgent = [];
    this.#waiting = [];
    const urgentTaken = this.#take(urgent, true);
    const taken = this.#unsent.length > 0 ? 0 : this.#take(waiting, false);
    for (let i = 0; i < urgentTaken; i++) (urgent[i] as Http1Dispatchable).send();
    this.#send(taken < waiting.length ? waiting.slice(0, taken) : waiting);
    this.#isOverloaded = taken < waiting.length || this.#unsent.length > 0;
    if (urgentTaken < urgent.length) this.#urgent = [...urgent.slice(urgentTaken), ...this.#urgent];
    if (taken < waiting.length) this.#waiting = [...waiting.slice(taken), ...this.#waiting];
    if (this.#urgent.length + this.#waiting.length + this.#unsent.length > 0) this.#schedule();
  };

  /** Large answers take their time: those that are left are sent in the next turn, before others are taken. */
  #send(taken: readonly Http1Dispatchable[]): void {
    const unsent = this.#unsent.length > 0 ? [...this.#unsent, ...taken] : taken;
    const began = performance.now();
    let sent = 0;
    for (; sent < unsent.length && performance.now() - began < sendMs; sent++) (unsent[sent] as Http1Dispatchable).send();
    this.#unsent = sent < unsent.length ? unsent.slice(sent) : none;
  }

  /** Gives how many had their turn. */
  #take(turn: readonly Http1Dispatchable[], isUrgent: boolean): number {
    let taken = 0;
    for (; taken < turn.length && !this.#budget.isSpent(isUrgent); taken++) (turn[taken] as Http1Dispatchable).take();
    return taken;
  }
}
