import type { CelValue } from '../values/value.ts';

/** Binding of a variable: a value, or a function that computes it. */
export type VariableSlot = CelValue | (() => CelValue) | undefined;

/** The evaluation was stopped by the cost limit or cancelled. */
export class EvaluationEnded extends Error {
  override readonly name = 'EvaluationEnded';
  readonly reason: 'cost limit' | 'cancelled';
  constructor(reason: 'cost limit' | 'cancelled', message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Iterations between two cancellation checks. */
const turnsBetweenChecks = 100;

/** One evaluation of an expression. */
export class Evaluation {
  readonly slots: VariableSlot[];
  cost = 0;
  readonly #limit: number;
  readonly #cancelled: (() => boolean) | undefined;
  #turns = 0;

  constructor(slots: VariableSlot[], limit: number, cancelled: (() => boolean) | undefined) {
    this.slots = slots;
    this.#limit = limit;
    this.#cancelled = cancelled;
  }

  charge(cost: number): void {
    this.cost += cost;
    if (this.cost > this.#limit) {
      throw new EvaluationEnded('cost limit', 'operation cancelled: actual cost limit exceeded');
    }
  }

  /** Call after every iteration. */
  turn(): void {
    if (this.#cancelled === undefined || ++this.#turns % turnsBetweenChecks !== 0) return;
    if (this.#cancelled()) throw new EvaluationEnded('cancelled', 'operation interrupted');
  }
}

/** A planned part of an expression. */
export type Eval = (evaluation: Evaluation) => CelValue;
