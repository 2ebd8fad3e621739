import type { CelValue } from '../values/value.ts';

/** What a variable is bound to: a value, or how to get one. */
export type VariableSlot = CelValue | (() => CelValue) | undefined;

/** The evaluation was ended from outside. */
export class EvaluationEnded extends Error {
  override readonly name = 'EvaluationEnded';
  readonly reason: 'cost limit' | 'cancelled';
  constructor(reason: 'cost limit' | 'cancelled', message: string) {
    super(message);
    this.reason = reason;
  }
}

/** How many turns of loops pass between two questions whether to go on. */
const turnsBetweenChecks = 100;

/** One run of an expression. */
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

  /** After every turn of a loop. */
  turn(): void {
    if (this.#cancelled === undefined || ++this.#turns % turnsBetweenChecks !== 0) return;
    if (this.#cancelled()) throw new EvaluationEnded('cancelled', 'operation interrupted');
  }
}

/** A part of an expression, ready to run. */
export type Eval = (evaluation: Evaluation) => CelValue;
