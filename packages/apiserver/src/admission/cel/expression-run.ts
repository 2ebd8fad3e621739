import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Bindings, CelError, type CelValue, type EvaluationResult } from '@tsukube/machinery/cel';
import { AwaitsAuthorization } from './authorizer.ts';
import type { AdmissionExpression } from './expression.ts';
import { bindingsOf, type ExpressionInputs } from './inputs.ts';
import { type Composition, LazyVariables } from './variables.ts';

/** The result of one expression. */
export type ExpressionOutcome =
  | { readonly ok: true; readonly value: CelValue; readonly milliseconds: number }
  | { readonly ok: false; readonly error: string; readonly milliseconds: number };

/** The expressions of a request have used up their cost budget. No further ones are evaluated. */
export class OutOfBudget extends Error {
  override readonly name = 'OutOfBudget';
  constructor() {
    super('validation failed due to running out of cost budget, no further validation rules will be run');
  }
}

/** Milliseconds after which other requests get a turn of the event loop. */
const slice = 10;
/** Milliseconds after which a single evaluation is repeated in a worker thread. */
const longest = 30;

/** Evaluates expressions with the same inputs within one cost budget. Variables are evaluated at most once. */
export class ExpressionRun {
  readonly #inputs: ExpressionInputs;
  readonly #bindings: Bindings;
  #budget: number;
  /** The cost of variables since the last expression. */
  #variablesCost = 0;
  #sliceBegan = performance.now();

  constructor(inputs: ExpressionInputs, budget: number, composition?: Composition) {
    this.#inputs = inputs;
    this.#budget = budget;
    const bindings = bindingsOf(inputs);
    const variables = composition && new LazyVariables(composition, (expression) => this.#variable(expression));
    this.#bindings = variables ? { ...bindings, variables } : bindings;
  }

  get budget(): number {
    return this.#budget;
  }

  /** Rejects with OutOfBudget. Synchronous if no check has to wait and little time has passed. */
  evaluateAll(expressions: readonly (AdmissionExpression | undefined)[]): OutcomeList | Promise<OutcomeList> {
    return this.#evaluateFrom(expressions, []);
  }

  #evaluateFrom(
    expressions: readonly (AdmissionExpression | undefined)[],
    outcomes: (ExpressionOutcome | undefined)[],
  ): OutcomeList | Promise<OutcomeList> {
    while (outcomes.length < expressions.length) {
      const at = outcomes.length;
      const waiting = this.#next(expressions[at], outcomes, at === expressions.length - 1);
      if (waiting)
        return waiting.then(() => {
          this.#sliceBegan = performance.now();
          return this.#evaluateFrom(expressions, outcomes);
        });
    }
    return outcomes;
  }

  /** Adds the outcome of an expression. Returns a promise if the run must wait before the next one. */
  #next(
    expression: AdmissionExpression | undefined,
    outcomes: (ExpressionOutcome | undefined)[],
    isLast: boolean,
  ): Promise<void> | undefined {
    try {
      outcomes.push(expression && this.#evaluate(expression));
    } catch (error) {
      if (error instanceof AwaitsAuthorization) return error.answered;
      if (error instanceof SliceEnded) return nextTurn();
      throw error;
    }
    return !isLast && this.#isSliceOver() ? nextTurn() : undefined;
  }

  #evaluate({ text, program, error }: AdmissionExpression): ExpressionOutcome {
    if (!program) return { ok: false, error: `compilation error: ${error}`, milliseconds: 0 };
    const began = performance.now();
    const result = this.#run(program.evaluate, began);
    this.#charge(this.#variablesCost);
    this.#variablesCost = 0;
    this.#charge(result.cost);
    const milliseconds = performance.now() - began;
    if (result.ok) return { ok: true, value: result.value, milliseconds };
    return { ok: false, error: `expression '${text}' resulted in error: ${result.error}`, milliseconds };
  }

  #charge(cost: number): void {
    if (cost > this.#budget) throw new OutOfBudget();
    this.#budget -= cost;
  }

  #variable({ program }: AdmissionExpression): CelValue {
    if (!program) return new CelError('unexpected internal error compiling expression');
    if (this.#variablesCost > this.#budget) throw new OutOfBudget();
    const began = performance.now();
    if (this.#isSliceOver()) throw new SliceEnded();
    const result = this.#run(program.evaluate, began);
    this.#variablesCost += result.cost;
    return result.ok ? result.value : new CelError(result.error);
  }

  /** With an effort, an evaluation that takes too long for the event loop is repeated in a worker thread. */
  #run(evaluate: Evaluate, began: number): EvaluationResult {
    const { effort } = this.#inputs.versioned.attributes;
    if (!effort) return evaluate(this.#bindings);
    const result = evaluate(this.#bindings, { cancelled: () => performance.now() - began > longest });
    if (!result.ok && result.reason === 'cancelled') throw effort.exceeded();
    return result;
  }

  #isSliceOver(): boolean {
    return performance.now() - this.#sliceBegan > slice;
  }
}

/** By expression; undefined where there is none. */
export type OutcomeList = readonly (ExpressionOutcome | undefined)[];

type Evaluate = (bindings: Bindings, options?: { cancelled: () => boolean }) => EvaluationResult;

/** Interrupts an evaluation before its next variable; those that are evaluated are kept. */
class SliceEnded extends Error {
  override readonly name = 'SliceEnded';
}
