import { goQuote } from '../../text/go-quote.ts';
import { compareCodePoints } from '../values/compare.ts';
import { conversions } from '../values/convert.ts';
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
  isInt,
} from '../values/value.ts';

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
  if (typeof value === 'string') return Buffer.from(value).toString('hex');
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return radix(value, 16);
}

/** Accepts "NaN", "Infinity" and "-Infinity", which have no literals. */
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
  if (text instanceof CelError) return '';
  return typeof text === 'string' ? text : undefined;
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

/** Keys are sorted to make the output deterministic. */
function mapText(map: CelMap): string {
  const entries = map.keys().map((key) => [elementText(key), elementText(map.find(key) ?? null)] as const);
  const sorted = entries.toSorted(([a], [b]) => compareCodePoints(a, b));
  return `{${sorted.map(([key, value]) => `${key}:${value}`).join(', ')}}`;
}

/** Elements of lists and maps are quoted so that their types are visible. */
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

/** Invalid format string or argument. */
export class FormatError extends Error {
  override readonly name = 'FormatError';
}

export interface Clause {
  readonly verb: 's' | 'd' | 'f' | 'e' | 'b' | 'x' | 'o';
  readonly upper: boolean;
  readonly precision: number | undefined;
}

/** Literal text, or a clause for the next argument, which throws FormatError if it is invalid. */
type FormatPart = string | (() => Clause);

const verbs = 'sdfebxo';

export function* clausesOf(format: string): Generator<FormatPart> {
  let at = 0;
  while (at < format.length) {
    const percent = format.indexOf('%', at);
    if (percent < 0) break;
    if (percent > at) yield format.slice(at, percent);
    if (format[percent + 1] === '%') {
      yield '%';
      at = percent + 2;
      continue;
    }
    if (percent + 1 >= format.length) throw new FormatError('unexpected end of string');
    const { clause, end } = readClause(format, percent + 1);
    yield clause;
    at = end;
  }
  if (at < format.length) yield format.slice(at);
}

function readClause(format: string, start: number): { clause: () => Clause; end: number } {
  const match = /^(?:\.(\d*))?/.exec(format.slice(start, start + 32));
  const end = start + (match?.[0].length ?? 0);
  const verb = format[end];
  return { clause: () => clauseOf(match?.[1], verb), end: end + 1 };
}

function clauseOf(precision: string | undefined, verb: string | undefined): Clause {
  const parsing = 'could not parse formatting clause: ';
  if (verb === undefined)
    throw new FormatError(`${parsing}error while parsing precision: could not find end of precision specifier`);
  if (precision === '') {
    const problem = 'error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax';
    throw new FormatError(`${parsing}error while parsing precision: ${problem}`);
  }
  const lower = verb === 'X' ? 'x' : verb;
  if (!verbs.includes(lower)) throw new FormatError(`${parsing}unrecognized formatting clause "${verb}"`);
  const number = precision === undefined ? undefined : Math.min(Number(precision), 100);
  return { verb: lower as Clause['verb'], upper: verb === 'X', precision: number };
}

const problems: { readonly [verb in Clause['verb']]: string } = {
  s: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  d: 'decimal clause can only be used on integers',
  f: 'fixed-point clause can only be used on doubles',
  e: 'scientific clause can only be used on doubles',
  b: 'only integers and bools can be formatted as binary',
  x: 'only integers, byte buffers, and strings can be formatted as hex',
  o: 'octal clause can only be used on integers',
};

export function clauseProblem(verb: Clause['verb'], type: string): string {
  return `${problems[verb]}, was given ${type}`;
}

const superscripts: { readonly [digit: string]: string } = {
  '0': '⁰',
  '1': '¹',
  '2': '²',
  '3': '³',
  '4': '⁴',
  '5': '⁵',
  '6': '⁶',
  '7': '⁷',
  '8': '⁸',
  '9': '⁹',
  '-': '⁻',
};

/** Formats like Go's message printer for English: 12,345.678. */
function fixedText(value: number, precision: number): string {
  if (!Number.isFinite(value)) return notFinite(value);
  const [whole = '', fraction] = roundHalfEven(value, precision).split('.');
  // regex: bounded, a double has at most 309 digits before the point.
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** Rounds half to even like Go; JavaScript's toFixed rounds half up. */
function roundHalfEven(value: number, precision: number): string {
  const rounded = value.toFixed(precision);
  const exact = value.toFixed(Math.min(precision + 40, 100));
  const cut = exact.length - Math.min(40, 100 - precision);
  if (!/^50*$/.test(exact.slice(cut))) return rounded;
  const down = exact.slice(0, precision === 0 ? cut - 1 : cut);
  return Number(down.at(-1)) % 2 === 0 ? down : rounded;
}

/** 1.234500×10⁰³ */
function scientificText(value: number): string {
  if (!Number.isFinite(value)) return notFinite(value);
  const [mantissa = '', exponent = ''] = value.toExponential(6).split('e');
  const digits = exponent.replace('+', '').replace(/^(-?)(\d)$/, '$10$2');
  const raised = [...digits].map((digit) => superscripts[digit] ?? digit).join('');
  return `${mantissa}×10${raised}`;
}

function notFinite(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return value < 0 ? '-∞' : '∞';
}
