import { type CostOfCall, ResultCost } from '../cost/actual.ts';
import { equalValues } from '../values/compare.ts';
import { CelError, CelOptional, type CelValue, noSuchOverload } from '../values/value.ts';
import type { Implementation } from './dispatch.ts';
import type { Eval, Evaluation } from './evaluation.ts';

/** A strict call: returns the first argument that is an error. Charges `cost`. */
export function callEval(run: Implementation, args: readonly Eval[], cost: CostOfCall): Eval {
  const [first, second] = args as [Eval, Eval];
  if (args.length === 0) return nullaryEval(run, cost);
  if (args.length === 1) return unaryEval(run, first, cost);
  return args.length === 2 ? binaryEval(run, first, second, cost) : manyEval(run, args, cost);
}

function nullaryEval(run: Implementation, cost: CostOfCall): Eval {
  return (evaluation) => {
    evaluation.charge(typeof cost === 'number' ? cost : 1);
    return run();
  };
}

function unaryEval(run: Implementation, arg: Eval, cost: CostOfCall): Eval {
  return (evaluation) => {
    const value = arg(evaluation);
    chargeBefore(evaluation, cost, value, null);
    const result = value instanceof CelError ? value : run(value);
    if (cost instanceof ResultCost) evaluation.charge(cost.of(result));
    return result;
  };
}

function binaryEval(run: Implementation, left: Eval, right: Eval, cost: CostOfCall): Eval {
  return (evaluation) => {
    const a = left(evaluation);
    const b = right(evaluation);
    chargeBefore(evaluation, cost, a, b);
    const result = a instanceof CelError ? a : b instanceof CelError ? b : run(a, b);
    if (cost instanceof ResultCost) evaluation.charge(cost.of(result));
    return result;
  };
}

function chargeBefore(evaluation: Evaluation, cost: CostOfCall, first: CelValue, second: CelValue): void {
  if (typeof cost === 'number') evaluation.charge(cost);
  else if (typeof cost === 'function') evaluation.charge(cost(first, second));
}

/** An error before the last argument ends the call without cost. */
export function manyEval(run: Implementation, args: readonly Eval[], cost: CostOfCall): Eval {
  return (evaluation) => {
    const values: CelValue[] = [];
    for (const arg of args) {
      const value = arg(evaluation);
      values.push(value);
      if (value instanceof CelError && values.length < args.length) return value;
    }
    const [first = null, second = null] = values;
    chargeBefore(evaluation, cost, first, second);
    const last = values.at(-1) as CelValue;
    const result = last instanceof CelError ? last : run(...values);
    if (cost instanceof ResultCost) evaluation.charge(cost.of(result));
    return result;
  };
}

/** Short-circuit logic: `decides` absorbs the other operand, even an error. */
export function logicEval(decides: boolean, left: Eval, right: Eval): Eval {
  return (evaluation) => {
    const a = left(evaluation);
    if (a === decides) return decides;
    const b = right(evaluation);
    if (b === decides) return decides;
    if (typeof a !== 'boolean') return a instanceof CelError ? a : noSuchOverload;
    if (typeof b !== 'boolean') return b instanceof CelError ? b : noSuchOverload;
    return !decides;
  };
}

export function equalEval(left: Eval, right: Eval, cost: CostOfCall): Eval {
  return binaryEval((a, b) => equalValues(a as CelValue, b as CelValue), left, right, cost);
}

/** Operands are unequal unless found equal, even if the comparison is an error. */
export function unequalEval(left: Eval, right: Eval, cost: CostOfCall): Eval {
  return binaryEval((a, b) => equalValues(a as CelValue, b as CelValue) !== true, left, right, cost);
}

export function notStrictlyFalseEval(arg: Eval): Eval {
  return (evaluation) => {
    const value = arg(evaluation);
    evaluation.charge(1);
    return typeof value === 'boolean' ? value : true;
  };
}

/** `or` and `orValue`: evaluates the second operand only if the first is empty. */
export function optionalOrEval(left: Eval, right: Eval, unwrap: boolean): Eval {
  return (evaluation) => {
    const optional = left(evaluation);
    if (!(optional instanceof CelOptional)) return optional;
    if (optional.value === undefined) return right(evaluation);
    return unwrap ? optional.value : optional;
  };
}
