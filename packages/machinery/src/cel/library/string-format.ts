import { goQuote } from '../../text/go-quote.ts';
import { compareText } from '../values/compare.ts';
import { conversions } from '../values/convert.ts';
import { isInt } from '../values/integer.ts';
import { typeOfValue } from '../values/type-of.ts';
import {
  CelDouble,
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
} from '../values/value.ts';
import { type Clause, clauseProblem, clausesOf, FormatError } from './format-clauses.ts';
import { fixedText, scientificText } from './locale-numbers.ts';

/** `'%s is %d'.format(['x', 1])`. */
export function formatString(format: string, args: CelList): CelValue {
  try {
    return interpolate(format, args);
  } catch (error) {
    if (error instanceof FormatError) return new CelError(error.message);
    throw error;
  }
}

function interpolate(format: string, args: CelList): string {
  let text = '';
  let used = 0;
  for (const part of clausesOf(format)) {
    if (typeof part === 'string') text += part;
    else if (used >= args.size) throw new FormatError(`index ${used} out of range`);
    else text += formatArgument(part(), args.at(used++));
  }
  return text;
}

function formatArgument(clause: Clause, value: CelValue): string {
  const formatted = formatters[clause.verb](value, clause);
  if (formatted !== undefined) return formatted;
  throw new FormatError(`error during formatting: ${clauseProblem(clause.verb, typeOfValue(value).name)}`);
}

type Formatter = (value: CelValue, clause: Clause) => string | undefined;

const formatters: { readonly [verb in Clause['verb']]: Formatter } = {
  s: (value) => textOf(value),
  d: (value) => (isInt(value) || value instanceof CelUint ? String(integerOf(value)) : undefined),
  f: (value, { precision = 6 }) => withDouble(value, (number) => fixedText(number, precision)),
  e: (value) => withDouble(value, scientificText),
  b: (value) => (typeof value === 'boolean' ? String(Number(value)) : radix(value, 2)),
  x: (value, { upper }) => inCase(hexOf(value), upper),
  o: (value) => radix(value, 8),
};

function integerOf(value: number | bigint | CelUint): number | bigint {
  return value instanceof CelUint ? value.value : value;
}

function radix(value: CelValue, base: number): string | undefined {
  return isInt(value) || value instanceof CelUint ? integerOf(value).toString(base) : undefined;
}

function inCase(text: string | undefined, upper: boolean): string | undefined {
  return upper ? text?.toUpperCase() : text;
}

function hexOf(value: CelValue): string | undefined {
  if (typeof value === 'string' || value instanceof Uint8Array) return Buffer.from(value as string).toString('hex');
  return radix(value, 16);
}

/** A few words stand for the doubles that literals cannot write. */
function withDouble(value: CelValue, format: (number: number) => string): string | undefined {
  if (value instanceof CelDouble) return format(value.value);
  return value === 'NaN' || value === 'Infinity' || value === '-Infinity' ? format(Number(value)) : undefined;
}

function textOf(value: CelValue): string | undefined {
  if (value === null) return 'null';
  if (value instanceof CelList) return listText(value);
  if (value instanceof CelMap) return value.type === undefined ? mapText(value) : undefined;
  if (value instanceof CelTypeValue) return value.type.name;
  const isText = typeof value !== 'object' || isScalarObject(value);
  const text = isText ? conversions.string?.(value) : undefined;
  return text instanceof CelError ? '' : (text as string | undefined);
}

function isScalarObject(value: CelValue): boolean {
  return (
    value instanceof CelDouble ||
    value instanceof CelUint ||
    value instanceof CelTimestamp ||
    value instanceof CelDuration ||
    value instanceof Uint8Array
  );
}

function listText(list: CelList): string {
  return `[${Array.from({ length: list.size }, (_, i) => elementText(list.at(i))).join(', ')}]`;
}

/** Keys are sorted, so that the text is always the same. */
function mapText(map: CelMap): string {
  const entries = map.keys().map((key) => [elementText(key), elementText(map.find(key) ?? null)] as const);
  const sorted = entries.toSorted(([a], [b]) => compareText(a, b));
  return `{${sorted.map(([key, value]) => `${key}:${value}`).join(', ')}}`;
}

/** An element is written so that its type can be seen. */
function elementText(value: CelValue): string {
  const text = value instanceof CelDouble ? doubleElement(value.value) : textOf(value);
  if (text === undefined) throw new FormatError(`error during formatting: no formatting function for ${typeOfValue(value).name}`);
  if (typeof value === 'string') return goQuote(text);
  if (value instanceof Uint8Array) return `b${goQuote(text)}`;
  if (value instanceof CelTimestamp) return `timestamp(${goQuote(text)})`;
  return value instanceof CelDuration ? `duration(${goQuote(text)})` : text;
}

function doubleElement(value: number): string {
  if (Number.isFinite(value)) return value.toFixed(6);
  return goQuote(Number.isNaN(value) ? 'NaN' : value < 0 ? '-Inf' : '+Inf');
}
