import type { CelType } from '../types/type.ts';

/**
 * A CEL value. Integers are numbers, or bigints beyond ±2^53 where a number is not exact. Doubles are wrapped to distinguish
 * them from integers, because they are rare in Kubernetes.
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

/** Seconds since 1970, and nanoseconds. */
export class CelTimestamp {
  readonly seconds: number;
  readonly nanoseconds: number;
  /** Offset from UTC in seconds, kept for formatting. */
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

/** Errors are values: `false && error` is false. */
export class CelError {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

export abstract class CelList {
  abstract readonly size: number;
  /** The index must be within bounds. An item that does not match its schema is an error value. */
  abstract at(index: number): CelValue;
  /** Custom equality, such as that of sets. */
  equals?(other: CelValue): CelValue;
  /** Custom addition, such as the union of sets. */
  add?(other: CelList): CelValue;
}

export abstract class CelMap {
  abstract readonly size: number;
  /** Undefined if the key is absent; an error value if the key type is invalid or the value does not match its schema. */
  abstract find(key: CelValue): CelValue | undefined;
  abstract keys(): readonly CelValue[];
  equals?(other: CelValue): CelValue;
  /** Set for objects constructed by an expression. */
  readonly type?: CelType;
}

/** A value of an opaque type; only the functions of its library inspect it. */
export abstract class CelOpaque {
  abstract readonly type: CelType;
  abstract equals(other: CelValue): CelValue;
  /** Size for cost accounting; 1 if absent. */
  readonly costSize?: number;
  /** Its string form, if it has one. */
  text?(): string;
  /** Returns a field; undefined if there is no such field. */
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

/** The accumulator of a comprehension. It is appended to in place, because it is not visible before the loop ends. */
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

/** A CEL int. */
export type Int = number | bigint;

export const maxInt64 = 2n ** 63n - 1n;
export const minInt64 = -(2n ** 63n);
export const maxUint64 = 2n ** 64n - 1n;

export const intOverflow = new CelError('integer overflow');
export const uintOverflow = new CelError('unsigned integer overflow');

const maxSafe = BigInt(Number.MAX_SAFE_INTEGER);

/** Converts to a number if that is exact. */
export function normalInt(value: bigint): number | bigint {
  return value <= maxSafe && value >= -maxSafe ? Number(value) : value;
}

/** Returns an overflow error value beyond 64 bits. */
export function checkedInt(value: bigint): number | bigint | CelError {
  if (value <= maxSafe && value >= -maxSafe) return Number(value);
  return value > maxInt64 || value < minInt64 ? intOverflow : value;
}

export function isInt(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** Length in code points. */
export function codePointCount(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length; i++) if ((text.charCodeAt(i) & 0xfc00) === 0xdc00) count--;
  return count;
}

/** The result of `size()`; undefined if the type has no size. */
export function sizeOfValue(value: CelValue): number | undefined {
  if (typeof value === 'string') return codePointCount(value);
  if (value instanceof CelList || value instanceof CelMap) return value.size;
  if (value instanceof Uint8Array) return value.length;
  return undefined;
}

/** Size for cost accounting: 1 for scalars. */
export function costSize(value: CelValue): number {
  if (typeof value === 'string') return codePointCount(value);
  if (typeof value !== 'object' || value === null) return 1;
  if (value instanceof CelOpaque) return value.costSize ?? 1;
  if (value instanceof CelOptional) return value.value === undefined ? 1 : costSize(value.value);
  return sizeOfValue(value) ?? 1;
}
