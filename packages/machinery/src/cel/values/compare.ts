import {
  CelDouble,
  CelDuration,
  CelList,
  CelMap,
  CelOpaque,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
  isError,
  isInt,
} from './value.ts';

/** Negative, zero or positive; NaN if an operand is NaN; undefined if the types are not comparable. */
export function compareValues(a: CelValue, b: CelValue): number | undefined {
  if (typeof a === 'string') return typeof b === 'string' ? compareCodePoints(a, b) : undefined;
  const [left, right] = numbersOf(a, b);
  if (left !== undefined) return right === undefined ? undefined : compareNumbers(left, right);
  if (typeof a === 'boolean') return typeof b === 'boolean' ? Number(a) - Number(b) : undefined;
  if (a instanceof Uint8Array) return b instanceof Uint8Array ? Buffer.compare(a, b) : undefined;
  if (a instanceof CelTimestamp) return b instanceof CelTimestamp ? compareTimes(a, b) : undefined;
  if (a instanceof CelDuration) return b instanceof CelDuration ? order(a.nanoseconds, b.nanoseconds) : undefined;
  return undefined;
}

/** Both operands as numbers: exact, unless one is a double. */
export function numbersOf(a: CelValue, b: CelValue): readonly [number | bigint | undefined, number | bigint | undefined] {
  const [left, right] = [numericValue(a), numericValue(b)];
  const inexact = left !== undefined && right !== undefined && (a instanceof CelDouble || b instanceof CelDouble);
  return inexact ? [Number(left), Number(right)] : [left, right];
}

/** The number in a value of any numeric type. */
function numericValue(value: CelValue): number | bigint | undefined {
  if (isInt(value)) return value;
  if (value instanceof CelDouble || value instanceof CelUint) return value.value;
  return undefined;
}

function compareNumbers(a: number | bigint, b: number | bigint): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.NaN;
  return order(a, b);
}

function order<T>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareTimes(a: CelTimestamp, b: CelTimestamp): number {
  return a.seconds - b.seconds || a.nanoseconds - b.nanoseconds;
}

/** Orders by code point like UTF-8; JavaScript's order differs for surrogate pairs. */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [left, right] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}

/** True, false, or the error of a custom comparison. Values of different types are not equal. */
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
