import { isNumberLiteral, type NumberLiteral, type ParsedValue } from '../json/number-literal.ts';
import { stringifyJson } from '../json/stringify.ts';
import type { JsonValue } from '../json/value.ts';
import { canonicalMicroTime, canonicalTime } from '../meta/time.ts';
import { canonicalQuantity } from '../quantity/format.ts';
import { canonicalBase64 } from '../text/base64.ts';
import { formatGoDuration, parseGoDuration } from '../text/go-duration.ts';
import type { Decoding } from './decoding.ts';
import type { Scalar } from './type.ts';

/** Converts a value to its canonical form; undefined if it equals an absent field, or does not fit the type. Never called with null. */
export type Canonicalize = (value: ParsedValue, decoding: Decoding) => JsonValue | undefined;

const maxInt32 = 2 ** 31 - 1;

export const scalarChecks: Readonly<Record<Scalar, Canonicalize>> = {
  string: (value, decoding) => (typeof value === 'string' ? value : decoding.mismatch(value, 'string')),
  boolean: (value, decoding) => (typeof value === 'boolean' ? value : decoding.mismatch(value, 'bool')),
  int32: checkInt32,
  int64: checkInt64,
  double: checkDouble,
  bytes: checkBytes,
  time: (value, decoding) => readText(value, decoding, canonicalTime),
  microTime: (value, decoding) => readText(value, decoding, canonicalMicroTime),
  duration: (value, decoding) => readText(value, decoding, (text) => formatGoDuration(parseGoDuration(text))),
  quantity: checkQuantity,
  intOrString: checkIntOrString,
};

function isNumber(value: ParsedValue): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function isSafeInteger(value: ParsedValue): value is number {
  return Number.isSafeInteger(value);
}

function isInt32(value: ParsedValue): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value <= maxInt32 && value >= -maxInt32 - 1;
}

function checkInt32(value: ParsedValue, decoding: Decoding): JsonValue | undefined {
  return isInt32(value) ? value : checkOtherInteger(value, 32, decoding);
}

function checkInt64(value: ParsedValue, decoding: Decoding): JsonValue | undefined {
  return typeof value === 'bigint' || isSafeInteger(value) ? value : checkOtherInteger(value, 64, decoding);
}

/** From JSON text it is an error; from values (strategic merge) Kubernetes truncates to the size of the type. */
function checkOtherInteger(value: ParsedValue, bits: 32 | 64, decoding: Decoding): JsonValue | undefined {
  if (!isNumber(value) && !isNumberLiteral(value)) return decoding.mismatch(value, `int${bits}`);
  if (!decoding.isFromValues || !isWhole(value)) return decoding.mismatchedNumber(value, `int${bits}`);
  const kept = BigInt.asIntN(bits, asInt64(value));
  return Number.isSafeInteger(Number(kept)) ? Number(kept) : kept;
}

function isWhole(value: number | bigint | NumberLiteral): value is number | bigint {
  return typeof value === 'bigint' || Number.isInteger(value);
}

/** Like Go's conversion: out of range becomes the minimum int64. */
function asInt64(value: number | bigint): bigint {
  const fits = typeof value === 'bigint' || (value < 2 ** 63 && value >= -(2 ** 63));
  return fits ? BigInt(value) : -(2n ** 63n);
}

function checkDouble(value: ParsedValue, decoding: Decoding): JsonValue | undefined {
  if (isNumber(value)) return Number(value);
  if (!isNumberLiteral(value)) return decoding.mismatch(value, 'float64');
  return Number.isFinite(value.value) ? value.value : decoding.mismatchedNumber(value, 'float64');
}

/** Bytes may also be sent as an array of numbers. */
function checkBytes(value: ParsedValue, decoding: Decoding): JsonValue | undefined {
  if (Array.isArray(value)) {
    const isByte = (item: ParsedValue) => Number.isInteger(item) && (item as number) >= 0 && (item as number) <= 255;
    return value.every(isByte) ? Buffer.from(value as number[]).toString('base64') : decoding.mismatch(value, 'uint8');
  }
  if (typeof value !== 'string') return decoding.mismatch(value, '[]uint8');
  try {
    return canonicalBase64(value);
  } catch (error) {
    return decoding.invalid((error as Error).message);
  }
}

function readText(value: ParsedValue, decoding: Decoding, read: (text: string) => string | undefined): string | undefined {
  if (typeof value !== 'string') return decoding.failMismatch(value, 'string');
  try {
    return read(value);
  } catch (error) {
    return decoding.fail((error as Error).message);
  }
}

function checkQuantity(value: ParsedValue, decoding: Decoding): JsonValue {
  const text = typeof value === 'string' ? value.trim() : stringifyJson(value);
  try {
    return canonicalQuantity(text);
  } catch (error) {
    return decoding.fail((error as Error).message);
  }
}

function checkIntOrString(value: ParsedValue, decoding: Decoding): JsonValue {
  return typeof value === 'string' || isInt32(value) ? value : decoding.failMismatch(value, 'int32');
}
