import { CelError } from './value.ts';

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
