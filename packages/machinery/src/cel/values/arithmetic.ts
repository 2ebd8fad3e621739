import { addDurations, addToTimestamp, subtractDurations, subtractTimestamps } from './time.ts';
import {
  CelDouble,
  CelDuration,
  CelError,
  CelList,
  CelTimestamp,
  CelUint,
  type CelValue,
  checkedInt,
  GrowingList,
  intOverflow,
  isInt,
  maxUint64,
  noSuchOverload,
  uintOverflow,
} from './value.ts';

const divisionByZero = new CelError('division by zero');
const modulusByZero = new CelError('modulus by zero');

export function add(a: CelValue, b: CelValue): CelValue {
  if (isInt(a)) return isInt(b) ? addInts(a, b) : noSuchOverload;
  if (typeof a === 'string') return typeof b === 'string' ? a + b : noSuchOverload;
  if (a instanceof CelList) return b instanceof CelList ? addLists(a, b) : noSuchOverload;
  if (a instanceof CelDouble) return b instanceof CelDouble ? new CelDouble(a.value + b.value) : noSuchOverload;
  if (a instanceof CelUint) return b instanceof CelUint ? checkedUint(a.value + b.value) : noSuchOverload;
  if (a instanceof Uint8Array) return b instanceof Uint8Array ? new Uint8Array(Buffer.concat([a, b])) : noSuchOverload;
  return addTimes(a, b);
}

function addInts(a: number | bigint, b: number | bigint): CelValue {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return checkedInt(BigInt(a) + BigInt(b));
}

/** A GrowingList, the accumulator of a comprehension, is appended to in place. */
function addLists(a: CelList, b: CelList): CelValue {
  if (a instanceof GrowingList) {
    for (let i = 0; i < b.size; i++) a.items.push(b.at(i));
    return a;
  }
  if (a.add) return a.add(b);
  if (a.size === 0) return b;
  return b.size === 0 ? a : new ConcatList(a, b);
}

function addTimes(a: CelValue, b: CelValue): CelValue {
  if (a instanceof CelTimestamp) return b instanceof CelDuration ? addToTimestamp(a, b.nanoseconds) : noSuchOverload;
  if (!(a instanceof CelDuration)) return noTrait('_+_');
  if (b instanceof CelDuration) return addDurations(a, b);
  return b instanceof CelTimestamp ? addToTimestamp(b, a.nanoseconds) : noSuchOverload;
}

export function subtract(a: CelValue, b: CelValue): CelValue {
  if (isInt(a)) return isInt(b) ? subtractInts(a, b) : noSuchOverload;
  if (a instanceof CelDouble) return b instanceof CelDouble ? new CelDouble(a.value - b.value) : noSuchOverload;
  if (a instanceof CelUint) return b instanceof CelUint ? checkedUint(a.value - b.value) : noSuchOverload;
  if (a instanceof CelDuration) return b instanceof CelDuration ? subtractDurations(a, b) : noSuchOverload;
  if (!(a instanceof CelTimestamp)) return noTrait('_-_');
  if (b instanceof CelTimestamp) return subtractTimestamps(a, b);
  return b instanceof CelDuration ? addToTimestamp(a, -b.nanoseconds) : noSuchOverload;
}

function subtractInts(a: number | bigint, b: number | bigint): CelValue {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b;
    if (Number.isSafeInteger(difference)) return difference;
  }
  return checkedInt(BigInt(a) - BigInt(b));
}

export function multiply(a: CelValue, b: CelValue): CelValue {
  if (isInt(a)) return isInt(b) ? multiplyInts(a, b) : noSuchOverload;
  if (a instanceof CelDouble) return b instanceof CelDouble ? new CelDouble(a.value * b.value) : noSuchOverload;
  if (a instanceof CelUint) return b instanceof CelUint ? checkedUint(a.value * b.value) : noSuchOverload;
  return noTrait('_*_');
}

function multiplyInts(a: number | bigint, b: number | bigint): CelValue {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b;
    if (Number.isSafeInteger(product)) return product + 0;
  }
  return checkedInt(BigInt(a) * BigInt(b));
}

export function divide(a: CelValue, b: CelValue): CelValue {
  if (isInt(a)) return isInt(b) ? divideInts(a, b) : noSuchOverload;
  if (a instanceof CelDouble) return b instanceof CelDouble ? new CelDouble(a.value / b.value) : noSuchOverload;
  if (!(a instanceof CelUint)) return noTrait('_/_');
  if (!(b instanceof CelUint)) return noSuchOverload;
  return b.value === 0n ? divisionByZero : new CelUint(a.value / b.value);
}

/** Truncates toward zero. The minimum int64 divided by -1 overflows. */
function divideInts(a: number | bigint, b: number | bigint): CelValue {
  if (b === 0) return divisionByZero;
  if (typeof a === 'number' && typeof b === 'number') return Math.trunc(a / b) + 0;
  return checkedInt(BigInt(a) / BigInt(b));
}

export function modulo(a: CelValue, b: CelValue): CelValue {
  if (isInt(a)) return isInt(b) ? moduloInts(a, b) : noSuchOverload;
  if (!(a instanceof CelUint)) return noTrait('_%_');
  if (!(b instanceof CelUint)) return noSuchOverload;
  return b.value === 0n ? modulusByZero : new CelUint(a.value % b.value);
}

function moduloInts(a: number | bigint, b: number | bigint): CelValue {
  if (b === 0) return modulusByZero;
  if (typeof a === 'number' && typeof b === 'number') return (a % b) + 0;
  if (b === -1 && checkedInt(-BigInt(a)) === intOverflow) return intOverflow;
  return checkedInt(BigInt(a) % BigInt(b));
}

export function negate(a: CelValue): CelValue {
  if (typeof a === 'number') return 0 - a;
  if (typeof a === 'bigint') return checkedInt(-a);
  if (a instanceof CelDouble) return new CelDouble(-a.value);
  if (a instanceof CelDuration) return subtractDurations(new CelDuration(0n), a);
  return typeof a === 'boolean' ? noSuchOverload : noTrait('-_');
}

function checkedUint(value: bigint): CelValue {
  return value < 0n || value > maxUint64 ? uintOverflow : new CelUint(value);
}

/** The error for an operand type without the operation. */
export function noTrait(operation: string): CelError {
  return new CelError(`no such overload: ${operation}`);
}

/** A lazy concatenation, flattened on the first read. */
class ConcatList extends CelList {
  readonly size: number;
  #parts: readonly [CelList, CelList] | undefined;
  #items: CelValue[] = [];

  constructor(first: CelList, second: CelList) {
    super();
    this.size = first.size + second.size;
    this.#parts = [first, second];
  }

  at(index: number): CelValue {
    if (this.#parts !== undefined) this.#flatten();
    return this.#items[index] as CelValue;
  }

  /** Iterative, because concatenations may be nested deeply. */
  #flatten(): void {
    const waiting: CelList[] = [this];
    for (let list = waiting.pop(); list !== undefined; list = waiting.pop()) {
      const parts = list instanceof ConcatList ? list.#parts : undefined;
      if (parts !== undefined) waiting.push(parts[1], parts[0]);
      else for (let i = 0; i < list.size; i++) this.#items.push(list.at(i));
    }
    this.#parts = undefined;
  }
}
