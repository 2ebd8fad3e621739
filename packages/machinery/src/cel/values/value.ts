import type { CelType } from '../types/type.ts';

/**
 * A value of CEL. Integers are numbers, or bigints where a number would not be exact: an integer within ±2^53 is never a
 * bigint. Doubles are wrapped, for they are rare in Kubernetes and must not be taken for integers.
 */
export type CelValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | CelDouble
  | CelUint
  | CelTimestamp
  | CelDuration
  | CelList
  | CelMap
  | CelOptional
  | CelTypeValue
  | CelOpaque
  | CelError;

export class CelDouble {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

export class CelUint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

/** Seconds since 1970 and the nanoseconds beyond them. */
export class CelTimestamp {
  readonly seconds: number;
  readonly nanoseconds: number;
  /** How many seconds east of UTC it was written; it is written so again. */
  readonly offset: number;
  constructor(seconds: number, nanoseconds: number, offset = 0) {
    this.seconds = seconds;
    this.nanoseconds = nanoseconds;
    this.offset = offset;
  }
}

export class CelDuration {
  readonly nanoseconds: bigint;
  constructor(nanoseconds: bigint) {
    this.nanoseconds = nanoseconds;
  }
}

export class CelOptional {
  readonly value: CelValue | undefined;
  constructor(value: CelValue | undefined) {
    this.value = value;
  }
}

export const optionalNone = new CelOptional(undefined);

/** A type as a value, such as the result of `type(1)`. */
export class CelTypeValue {
  readonly type: CelType;
  constructor(type: CelType) {
    this.type = type;
  }
}

/** An error is a value too: `false && error` is false. */
export class CelError {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

export abstract class CelList {
  abstract readonly size: number;
  /** The index is within bounds. An item that does not fit its schema is an error. */
  abstract at(index: number): CelValue;
  /** Equality of a kind of its own, such as that of sets. */
  equals?(other: CelValue): CelValue;
  /** Addition of a kind of its own, such as the union of sets. */
  add?(other: CelList): CelValue;
}

export abstract class CelMap {
  abstract readonly size: number;
  /** Undefined if there is no such key; an error if the key cannot be one, or the value does not fit its schema. */
  abstract find(key: CelValue): CelValue | undefined;
  abstract keys(): readonly CelValue[];
  equals?(other: CelValue): CelValue;
  /** An object that an expression made has its own type. */
  readonly type?: CelType;
}

/** A value that only the functions of its library look into. */
export abstract class CelOpaque {
  abstract readonly type: CelType;
  abstract equals(other: CelValue): CelValue;
  /** How large it is where costs are counted; one if that is not said. */
  readonly costSize?: number;
  /** How it is written, if there is a way. */
  text?(): string;
  /** What a field of it is; undefined if it has no such field. */
  field?(name: string): CelValue | undefined;
}

export class ArrayList extends CelList {
  readonly items: readonly CelValue[];
  constructor(items: readonly CelValue[]) {
    super();
    this.items = items;
  }
  get size(): number {
    return this.items.length;
  }
  at(index: number): CelValue {
    return this.items[index] as CelValue;
  }
}

/** The accumulator of a loop: it grows in place, for nobody else can see it until the loop ends. */
export class GrowingList extends CelList {
  readonly items: CelValue[] = [];
  get size(): number {
    return this.items.length;
  }
  at(index: number): CelValue {
    return this.items[index] as CelValue;
  }
}

export function isError(value: CelValue): value is CelError {
  return value instanceof CelError;
}

export const noSuchOverload = new CelError('no such overload');

/** An integer of CEL. */
export type Int = number | bigint;

export const maxInt64 = 2n ** 63n - 1n;
export const minInt64 = -(2n ** 63n);
export const maxUint64 = 2n ** 64n - 1n;

export const intOverflow = new CelError('integer overflow');
export const uintOverflow = new CelError('unsigned integer overflow');

const maxSafe = BigInt(Number.MAX_SAFE_INTEGER);

/** A number where it is exact, a bigint where only that is. */
export function normalInt(value: bigint): number | bigint {
  return value <= maxSafe && value >= -maxSafe ? Number(value) : value;
}

/** The integer, unless it has more than 64 bits. */
export function checkedInt(value: bigint): number | bigint | CelError {
  if (value <= maxSafe && value >= -maxSafe) return Number(value);
  return value > maxInt64 || value < minInt64 ? intOverflow : value;
}

export function isInt(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** How many characters a text has; a pair of surrogates is one. */
export function codePointCount(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length; i++) if ((text.charCodeAt(i) & 0xfc00) === 0xdc00) count--;
  return count;
}

/** What `size()` gives; undefined if the value has no size. */
export function sizeOfValue(value: CelValue): number | undefined {
  if (typeof value === 'string') return codePointCount(value);
  if (value instanceof CelList || value instanceof CelMap) return value.size;
  if (value instanceof Uint8Array) return value.length;
  return undefined;
}

/** The size that costs are counted by: one for what has none. */
export function costSize(value: CelValue): number {
  if (typeof value === 'string') return codePointCount(value);
  if (typeof value !== 'object' || value === null) return 1;
  if (value instanceof CelOpaque) return value.costSize ?? 1;
  if (value instanceof CelOptional) return value.value === undefined ? 1 : costSize(value.value);
  return sizeOfValue(value) ?? 1;
}
