import { goTypeName } from '../values/type-of.ts';
import { ArrayList, CelError, CelList, CelMap, type CelValue, GrowingList } from '../values/value.ts';
import type { Eval, Evaluation } from './evaluation.ts';

/** A planned comprehension with the slots of its variables. */
interface Fold {
  readonly range: Eval;
  readonly variable: number;
  readonly variable2: number | undefined;
  readonly accumulator: number;
  readonly init: Eval;
  /** The accumulator starts as an empty list and is appended to. */
  readonly collects: boolean;
  /** Undefined if the loop never ends early. */
  readonly condition: Eval | undefined;
  readonly step: Eval;
  readonly result: Eval;
}

/** `cel.bind`: binds a name to a lazily computed value. */
export function bindEval({ accumulator, init, result }: Fold): Eval {
  return (evaluation) => {
    evaluation.slots[accumulator] = () => init(evaluation);
    return result(evaluation);
  };
}

export function foldEval(fold: Fold): Eval {
  const { range, init, collects, accumulator, result } = fold;
  const loop = fold.variable2 === undefined ? loopOne : loopTwo;
  return (evaluation) => {
    const values = range(evaluation);
    if (values instanceof CelError) return values;
    const initial = init(evaluation);
    evaluation.slots[accumulator] = collects ? new GrowingList() : initial;
    const problem = loop(fold, evaluation, values);
    if (problem !== undefined) return problem;
    const outcome = result(evaluation);
    return outcome instanceof GrowingList ? new ArrayList(outcome.items) : outcome;
  };
}

function loopOne(fold: Fold, evaluation: Evaluation, values: CelValue): CelError | undefined {
  const { slots } = evaluation;
  if (values instanceof CelList) {
    for (let i = 0; i < values.size; i++) {
      slots[fold.variable] = values.at(i);
      if (!turn(fold, evaluation)) break;
    }
    return undefined;
  }
  if (!(values instanceof CelMap)) return new CelError(`got '${goTypeName(values)}', expected iterable type`);
  for (const key of values.keys()) {
    slots[fold.variable] = key;
    if (!turn(fold, evaluation)) break;
  }
  return undefined;
}

function loopTwo(fold: Fold, evaluation: Evaluation, values: CelValue): CelError | undefined {
  const { slots } = evaluation;
  const second = fold.variable2 as number;
  if (values instanceof CelMap) {
    for (const key of values.keys()) {
      slots[fold.variable] = key;
      slots[second] = values.find(key);
      if (!turn(fold, evaluation)) break;
    }
    return undefined;
  }
  if (!(values instanceof CelList)) return new CelError(`unsupported comprehension range type: ${goTypeName(values)}`);
  for (let i = 0; i < values.size; i++) {
    slots[fold.variable] = i;
    slots[second] = values.at(i);
    if (!turn(fold, evaluation)) break;
  }
  return undefined;
}

/** One iteration; false if the loop ends before it. */
function turn({ condition, accumulator, step }: Fold, evaluation: Evaluation): boolean {
  if (condition !== undefined && condition(evaluation) === false) return false;
  evaluation.slots[accumulator] = step(evaluation);
  evaluation.turn();
  return true;
}
