import { formatGoDuration, GoDurationError, parseGoDuration } from '../../text/go-duration.ts';
import { GoTimeError } from '../../text/go-time.ts';
import { goFloatText } from '../../text/go-value.ts';
import { checkedTimestamp, formatCelDuration, formatTimestamp, parseTimestamp } from './time.ts';
import { typeOfValue } from './type-of.ts';
import {
  CelDouble,
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
  checkedInt,
  intOverflow,
  maxUint64,
  normalInt,
  uintOverflow,
} from './value.ts';

type Conversion = (value: CelValue) => CelValue;

/** The type conversion functions. */
export const conversions: { readonly [type: string]: Conversion } = {
  bool: toBool,
  bytes: (value) => (typeof value === 'string' ? new Uint8Array(Buffer.from(value)) : value),
  double: toDouble,
  duration: toDuration,
  int: toInt,
  string: toText,
  timestamp: toTimestamp,
  uint: toUint,
};

function failed(value: CelValue, to: string): CelError {
  return new CelError(`type conversion error from '${typeOfValue(value).name}' to '${to}'`);
}

const truth = new Map([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((text) => [text, false] as const),
]);

function toBool(value: CelValue): CelValue {
  if (typeof value !== 'string') return value;
  return truth.get(value) ?? failed(value, 'bool');
}

const goFloat = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const goHexFloat = /^([+-]?)0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?[pP]([+-]?\d+)$/;
/** Length limit of a timestamp text. */
const longestTime = 1_000;
const goInfinity = /^([+-]?)inf(?:inity)?$/i;

function toDouble(value: CelValue): CelValue {
  if (typeof value === 'string') return parseDouble(value);
  if (value instanceof CelDouble) return value;
  return new CelDouble(Number(value instanceof CelUint ? value.value : value));
}

function parseDouble(text: string): CelValue {
  const infinity = goInfinity.exec(text);
  if (infinity) return new CelDouble(infinity[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY);
  if (/^nan$/i.test(text)) return new CelDouble(Number.NaN);
  const number = goFloat.test(text) ? Number(text) : parseHexDouble(text);
  return number !== undefined && Number.isFinite(number) ? new CelDouble(number) : failed(text, 'double');
}

function parseHexDouble(text: string): number | undefined {
  const [, sign, whole = '', fraction = '', exponent] = goHexFloat.exec(text) ?? [];
  if (exponent === undefined || whole + fraction === '') return undefined;
  const mantissa = Number(BigInt(`0x${whole}${fraction}`));
  return (sign === '-' ? -1 : 1) * mantissa * 2 ** (Number(exponent) - 4 * fraction.length);
}

function toDuration(value: CelValue): CelValue {
  if (typeof value === 'number' || typeof value === 'bigint') return failed(value, 'google.protobuf.Duration');
  if (typeof value !== 'string') return value;
  try {
    return new CelDuration(parseGoDuration(value));
  } catch (error) {
    if (error instanceof GoDurationError) return failed(value, 'google.protobuf.Duration');
    throw error;
  }
}

function toInt(value: CelValue): CelValue {
  if (typeof value === 'string') return parseInteger(value);
  if (value instanceof CelDouble) return doubleToInt(value.value);
  if (value instanceof CelUint) return checkedInt(value.value);
  if (value instanceof CelTimestamp) return value.seconds;
  return value instanceof CelDuration ? normalInt(value.nanoseconds) : value;
}

function parseInteger(text: string): CelValue {
  if (!/^[+-]?\d{1,400}$/.test(text)) return failed(text, 'int');
  const value = checkedInt(BigInt(text.replace('+', '')));
  return value === intOverflow ? failed(text, 'int') : value;
}

const two63 = 2 ** 63;

function doubleToInt(value: number): CelValue {
  if (Number.isNaN(value) || value <= -two63 || value >= two63) return intOverflow;
  return normalInt(BigInt(Math.trunc(value)));
}

function toUint(value: CelValue): CelValue {
  if (typeof value === 'string') return parseUint(value);
  if (value instanceof CelDouble) return doubleToUint(value.value);
  if (typeof value === 'number' || typeof value === 'bigint') return value < 0 ? uintOverflow : new CelUint(BigInt(value));
  return value;
}

function parseUint(text: string): CelValue {
  const value = /^\d{1,400}$/.test(text) ? BigInt(text) : undefined;
  return value === undefined || value > maxUint64 ? failed(text, 'uint') : new CelUint(value);
}

function doubleToUint(value: number): CelValue {
  if (Number.isNaN(value) || value < 0 || value >= 2 ** 64) return uintOverflow;
  return new CelUint(BigInt(Math.trunc(value)));
}

function toTimestamp(value: CelValue): CelValue {
  if (typeof value === 'number' || typeof value === 'bigint') return checkedTimestamp(value, 0);
  if (typeof value !== 'string') return value;
  if (value.length > longestTime) return failed(value, 'google.protobuf.Timestamp');
  try {
    const { seconds, nanoseconds, offset } = parseTimestamp(value);
    return checkedTimestamp(seconds, nanoseconds, offset);
  } catch (error) {
    if (error instanceof GoTimeError) return failed(value, 'google.protobuf.Timestamp');
    throw error;
  }
}

function toText(value: CelValue): CelValue {
  if (value instanceof CelDouble) return doubleText(value.value);
  if (value instanceof CelUint) return String(value.value);
  if (value instanceof CelTimestamp) return formatTimestamp(value);
  if (value instanceof CelDuration) return formatCelDuration(value);
  return value instanceof Uint8Array ? bytesToText(value) : String(value);
}

/** Formats like Go's %g. */
export function doubleText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value < 0 ? '-Inf' : '+Inf';
  return Object.is(value, -0) ? '-0' : goFloatText(value);
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function bytesToText(bytes: Uint8Array): CelValue {
  try {
    return decoder.decode(bytes);
  } catch {
    return new CelError('invalid UTF-8 in bytes, cannot convert to string');
  }
}

/** Formats a value for messages. */
export function formatPlain(value: CelValue): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if (value instanceof CelDouble) return doubleText(value.value);
  if (value instanceof CelUint) return String(value.value);
  if (value instanceof CelTypeValue) return value.type.name;
  if (value instanceof CelError) return value.message;
  if (value instanceof CelTimestamp) return formatTimestamp(value);
  if (value instanceof CelDuration) return formatGoDuration(value.nanoseconds);
  if (value instanceof CelOptional)
    return value.value === undefined ? 'optional.none()' : `optional(${formatPlain(value.value)})`;
  if (value instanceof CelList) return `[${Array.from({ length: value.size }, (_, i) => formatPlain(value.at(i))).join(', ')}]`;
  if (value instanceof CelMap) return mapText(value);
  return value instanceof Uint8Array ? `[${value.join(' ')}]` : value.type.name;
}

function mapText(map: CelMap): string {
  const entries = map.keys().map((key) => `${formatPlain(key)}: ${formatPlain(map.find(key) ?? null)}`);
  return `{${entries.join(', ')}}`;
}
