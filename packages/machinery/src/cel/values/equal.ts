import { numbersOf } from './compare.ts';
import { isInt } from './integer.ts';
import {
  CelDuration,
  CelList,
  CelMap,
  CelOpaque,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  type CelValue,
  isError,
} from './value.ts';

/** True, false, or the error that a comparison of a kind of its own gave. Values of different types are not equal. */
export function equalValues(a: CelValue, b: CelValue): CelValue {
  if (a === b) return true;
  if (a === null || b === null) return false;
  if (typeof a === 'string' || typeof a === 'boolean') return false;
  if (isInt(a)) return equalNumbers(a, b);
  if (a instanceof CelList) return a.equals ? a.equals(b) : equalLists(a, b);
  if (a instanceof CelMap) return a.equals ? a.equals(b) : equalMaps(a, b);
  if (a instanceof CelOpaque) return a.equals(b);
  return equalOthers(a, b);
}

function equalOthers(a: CelValue, b: CelValue): CelValue {
  if (isError(a)) return a;
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (a instanceof CelTimestamp) {
    return b instanceof CelTimestamp && a.seconds === b.seconds && a.nanoseconds === b.nanoseconds;
  }
  if (a instanceof CelDuration) return b instanceof CelDuration && a.nanoseconds === b.nanoseconds;
  if (a instanceof CelTypeValue) return b instanceof CelTypeValue && a.type.name === b.type.name;
  if (a instanceof CelOptional) return equalOptionals(a, b);
  return equalNumbers(a, b);
}

function equalNumbers(a: CelValue, b: CelValue): boolean {
  const [left, right] = numbersOf(a, b);
  // biome-ignore lint/suspicious/noDoubleEquals: the one comparison that is exact between a number and a bigint.
  return left !== undefined && right !== undefined && left == right;
}

function equalOptionals(a: CelOptional, b: CelValue): CelValue {
  if (!(b instanceof CelOptional)) return false;
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return equalValues(a.value, b.value);
}

function equalLists(a: CelList, b: CelValue): CelValue {
  if (!(b instanceof CelList) || a.size !== b.size) return false;
  for (let i = 0; i < a.size; i++) if (equalValues(a.at(i), b.at(i)) === false) return false;
  return true;
}

function equalMaps(a: CelMap, b: CelValue): CelValue {
  if (!(b instanceof CelMap) || a.size !== b.size) return false;
  for (const key of a.keys()) {
    const [own, others] = [a.find(key), b.find(key)];
    if (own === undefined || others === undefined || equalValues(own, others) === false) return false;
  }
  return true;
}
