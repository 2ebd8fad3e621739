import { goFloatText } from '../../text/go-value.ts';
import type { ValueRules } from '../schema/schema-node.ts';
import { Findings } from './finding.ts';

const minInt32 = -(2 ** 31);
const maxInt32 = 2 ** 31 - 1;
const maxFloat32 = 3.4028235677973366e38;

/** The check of all bounds. `type` is '' for several types. */
export function numberCheck(values: ValueRules | undefined, type: string, format: string): (value: number | bigint) => boolean {
  if (values === undefined) return () => true;
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = values;
  // Bounds that are not safe integers need the exact check.
  const isSimple = (bound: number | undefined) => bound === undefined || Number.isSafeInteger(bound);
  const simple = isSimple(values.minimum) && isSimple(values.maximum) && isSimple(values.multipleOf) && format !== 'float';
  const { exclusiveMinimum, exclusiveMaximum, multipleOf } = values;
  const narrow = type === 'integer' && format === 'int32';
  if (!simple || (multipleOf ?? 1) <= 0 || (narrow && (minimum < minInt32 || maximum > maxInt32)))
    return (value) => explainNumber(value, values, type, format, '').valid;
  return (value) => {
    if (typeof value === 'bigint') return explainNumber(value, values, type, format, '').valid;
    if (exclusiveMinimum ? value <= minimum : value < minimum) return false;
    if (exclusiveMaximum ? value >= maximum : value > maximum) return false;
    if (narrow && (value < minInt32 || value > maxInt32)) return false;
    return multipleOf === undefined || (Number.isInteger(value) ? value % multipleOf === 0 : isMultiple(value, multipleOf));
  };
}

export function explainNumber(
  value: number | bigint,
  values: ValueRules | undefined,
  type: string,
  format: string,
  name: string,
): Findings {
  const found = new Findings();
  found.matches = 1;
  addRange(value, type, format, 'Checked', name, found);
  const { multipleOf, minimum, maximum } = values ?? {};
  if (multipleOf !== undefined) {
    const native = addRange(multipleOf, type, format, 'MultipleOf', name, found);
    addMultiple(value, multipleOf, native && isInt64(value), name, found);
  }
  if (minimum !== undefined) {
    const native = addRange(minimum, type, format, 'Minimum boundary', name, found);
    addBound(value, minimum, native, values?.exclusiveMinimum === true, 'greater', name, found);
  }
  if (maximum !== undefined) {
    const native = addRange(maximum, type, format, 'Maximum boundary', name, found);
    addBound(value, maximum, native, values?.exclusiveMaximum === true, 'less', name, found);
  }
  return found;
}

/** Adds an error if a number is out of the range of the type and format. */
function addRange(value: number | bigint, type: string, format: string, what: string, name: string, found: Findings): boolean {
  if (isInRange(value, type, format)) return true;
  const kind = format === '' ? `${type} (default format)` : `${type} with format ${format}`;
  found.add({ message: `${what} value must be of type ${kind} in ${name}` });
  return false;
}

function isInRange(value: number | bigint, type: string, format: string): boolean {
  if (type !== 'integer') return format !== 'float' || Math.abs(Number(value)) < maxFloat32;
  if (!isInt64(value)) return false;
  return format !== 'int32' || (value >= minInt32 && value <= maxInt32);
}

function addBound(
  value: number | bigint,
  bound: number,
  native: boolean,
  exclusive: boolean,
  side: 'greater' | 'less',
  name: string,
  found: Findings,
): void {
  const whole = native && isInt64(value);
  const limit = whole ? toInt64(bound) : bound;
  const within = side === 'less' ? (exclusive ? value < limit : value <= limit) : exclusive ? value > limit : value >= limit;
  if (within) return;
  const text = whole ? String(limit) : goFloatText(bound);
  found.add({ message: `${name} in body should be ${side} than ${exclusive ? '' : 'or equal to '}${text}`, name, value });
}

function addMultiple(value: number | bigint, factor: number, whole: boolean, name: string, found: Findings): void {
  const divisor = whole ? toInt64(factor) : factor;
  const text = whole ? String(divisor) : goFloatText(factor);
  if (divisor <= 0) {
    const message = `factor MultipleOf declared for ${name} must be positive: ${text}`;
    found.add({ message, name, value: divisor });
  } else if (whole ? BigInt(value) % BigInt(divisor) !== 0n : !isMultiple(Number(value), factor)) {
    found.add({ message: `${name} in body should be a multiple of ${text}`, name, value });
  }
}

function isMultiple(value: number, factor: number): boolean {
  return isJsonInteger(factor < 1 ? (1 / factor) * value : value / factor);
}

/** Go's conversion of a float64 to int64. */
function toInt64(value: number): number | bigint {
  const whole = Math.trunc(value);
  if (Number.isSafeInteger(whole)) return whole;
  return BigInt.asIntN(64, Math.abs(whole) < 2 ** 63 ? BigInt(whole) : -(2n ** 63n));
}

const epsilon = 1e-9;

/** Whether a float counts as an integer: Kubernetes tolerates a small relative error. */
export function isJsonInteger(value: number): boolean {
  if (Number.isInteger(value)) return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  if (value < 1 || value > Number.MAX_SAFE_INTEGER) return false;
  const whole = Math.trunc(value);
  return (value - whole) / (value + whole) < epsilon;
}

/** Go decodes a number without fraction and exponent into an int64 if it fits, everything else into a float64. */
export function isInt64(value: number | bigint): boolean {
  return typeof value === 'bigint' || (Number.isInteger(value) && Math.abs(value) < 2 ** 63);
}
