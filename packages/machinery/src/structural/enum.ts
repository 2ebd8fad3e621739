import { deepEqual, type JsonValue } from '../json/value.ts';
import type { ValidationBudget } from './budget.ts';
import { isInt64 } from './json-integer.ts';

/** Whether a value is one of those listed. Null never is. */
export function enumCheck(values: readonly JsonValue[]): (value: JsonValue, budget: ValidationBudget) => boolean {
  if (values.every((each) => typeof each === 'string' || typeof each === 'boolean')) {
    const scalars = new Set<JsonValue>(values);
    return (value) => scalars.has(value);
  }
  return (value, budget) => {
    budget.visit(values.length);
    return value !== null && values.some((each) => isSame(value, each));
  };
}

/** A number is made an integer before it is compared with one. */
function isSame(value: JsonValue, listed: JsonValue): boolean {
  if (typeof value === 'number' && typeof listed === 'number' && isInt64(listed)) return Math.trunc(value) === listed;
  return deepEqual(value, listed);
}
