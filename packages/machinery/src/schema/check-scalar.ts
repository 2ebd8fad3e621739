import { stringifyJson } from '../json/stringify.ts';
import { canonicalMicroTime, canonicalTime } from '../meta/time.ts';
import { canonicalQuantity } from '../quantity/format.ts';
import { canonicalBase64 } from '../text/base64.ts';
import { formatGoDuration, parseGoDuration } from '../text/go-duration.ts';
import type { Decoding } from './decoding.ts';
import type { JsonValue, Scalar } from './type.ts';

/** Gives a value the form in which it is written; undefined if it is the same as none, or does not fit. Never called with null. */
export type Check = (value: JsonValue, decoding: Decoding) => JsonValue | undefined;

const maxInt32 = 2 ** 31 - 1;

export const scalarChecks: Readonly<Record<Scalar, Check>> = {
  string: (value, decoding) => (typeof value === 'string' ? value : decoding.mismatch(value, 'string')),
  boolean: (value, decoding) => (typeof value === 'boolean' ? value : decoding.mismatch(value, 'bool')),
  int32: checkInt32,
  int64: checkInt64,
  double: (value, decoding) => (isNumber(value) ? Number(value) : decoding.mismatch(value, 'float64')),
  bytes: checkBytes,
  time: (value, decoding) => readText(value, decoding, canonicalTime),
  microTime: (value, decoding) => readText(value, decoding, canonicalMicroTime),
  duration: (value, decoding) => readText(value, decoding, (text) => formatGoDuration(parseGoDuration(text))),
  quantity: checkQuantity,
  intOrString: checkIntOrString,
};

function isNumber(value: JsonValue): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function isInt32(value: JsonValue): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value <= maxInt32 && value >= -maxInt32 - 1;
}

function checkInt32(value: JsonValue, decoding: Decoding): JsonValue | undefined {
  if (isInt32(value)) return value;
  return isNumber(value) ? decoding.mismatchedNumber(value, 'int32') : decoding.mismatch(value, 'int32');
}

function checkInt64(value: JsonValue, decoding: Decoding): JsonValue | undefined {
  if (Number.isSafeInteger(value) || typeof value === 'bigint') return value;
  return isNumber(value) ? decoding.mismatchedNumber(value, 'int64') : decoding.mismatch(value, 'int64');
}

/** Bytes may also be sent as a list of numbers. */
function checkBytes(value: JsonValue, decoding: Decoding): JsonValue | undefined {
  if (Array.isArray(value)) {
    const isByte = (item: JsonValue) => Number.isInteger(item) && (item as number) >= 0 && (item as number) <= 255;
    return value.every(isByte) ? Buffer.from(value as number[]).toString('base64') : decoding.mismatch(value, 'uint8');
  }
  if (typeof value !== 'string') return decoding.mismatch(value, '[]uint8');
  try {
    return canonicalBase64(value);
  } catch (error) {
    return decoding.invalid((error as Error).message);
  }
}

function readText(value: JsonValue, decoding: Decoding, read: (text: string) => string | undefined): string | undefined {
  if (typeof value !== 'string') return decoding.failMismatch(value, 'string');
  try {
    return read(value);
  } catch (error) {
    return decoding.fail((error as Error).message);
  }
}

function checkQuantity(value: JsonValue, decoding: Decoding): JsonValue {
  const text = typeof value === 'string' ? value.trim() : stringifyJson(value);
  try {
    return canonicalQuantity(text);
  } catch (error) {
    return decoding.fail((error as Error).message);
  }
}

function checkIntOrString(value: JsonValue, decoding: Decoding): JsonValue {
  return typeof value === 'string' || isInt32(value) ? value : decoding.failMismatch(value, 'int32');
}
