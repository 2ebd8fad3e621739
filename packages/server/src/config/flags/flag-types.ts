import { accessSync, constants } from 'node:fs';
import { parseDuration } from './duration.ts';
import { BadValue, type Flag } from './flag.ts';

type Row<T> = Pick<Flag<T>, 'group' | 'help' | 'origin' | 'placeholder' | 'short' | 'fallbackText' | 'check'>;
type RowWithDefault<T> = Row<T> & Pick<Flag<T>, 'fallback'>;

export function text(row: RowWithDefault<string>): Flag<string> {
  return { placeholder: 'TEXT', ...row, parse: last };
}

export function optionalText(row: Row<string | undefined>): Flag<string | undefined> {
  return { placeholder: 'TEXT', ...row, fallback: undefined, parse: (texts) => last(texts) || undefined };
}

/** A file that must exist. */
export function inputFile(row: Row<string | undefined>): Flag<string | undefined> {
  return optionalText({ placeholder: 'FILE', ...row, check: (path) => (path === undefined ? undefined : unreadable(path)) });
}

/** Files that must exist. */
export function inputFiles(row: Row<readonly string[]>): Flag<readonly string[]> {
  const check = (paths: readonly string[]) => {
    const found = paths.map((path) => [path, unreadable(path)] as const).find(([, problem]) => problem !== undefined);
    return found && `has "${found[0]}", which ${found[1]}`;
  };
  return texts({ placeholder: 'FILE,…', ...row, check });
}

export function choice<const T extends string>(row: RowWithDefault<T> & { readonly of: readonly T[] }): Flag<T> {
  return { placeholder: row.of.join('|'), ...row, parse: (texts) => oneOf(row.of, last(texts)), check: isOneOf(row.of) };
}

export function optionalChoice<const T extends string>(
  row: Row<T | undefined> & { readonly of: readonly T[] },
): Flag<T | undefined> {
  return {
    placeholder: row.of.join('|'),
    ...row,
    fallback: undefined,
    parse: (texts) => oneOf(row.of, last(texts)),
    check: isOneOf(row.of),
  };
}

export function integer(row: RowWithDefault<number> & { readonly min: number; readonly max?: number }): Flag<number> {
  return {
    placeholder: 'N',
    ...row,
    parse: (texts) => wholeNumber(last(texts)),
    check: (value) => (Number.isInteger(value) ? outside(value, row.min, row.max) : 'is not a whole number'),
  };
}

export function decimal(row: RowWithDefault<number> & { readonly min: number; readonly max: number }): Flag<number> {
  return {
    placeholder: 'FRACTION',
    ...row,
    parse: (texts) => decimalNumber(last(texts)),
    check: (value) => outside(value, row.min, row.max),
  };
}

/** Parsed to milliseconds. */
export function duration(row: RowWithDefault<number>): Flag<number> {
  return {
    placeholder: 'DURATION',
    ...row,
    parse: (texts) => durationOf(last(texts)),
    check: (value) => row.check?.(value) ?? (value >= 0 ? undefined : 'must not be negative'),
  };
}

export function optionalDuration(row: Row<number | undefined>): Flag<number | undefined> {
  const { parse, check } = duration({ group: row.group, help: row.help, fallback: 0 });
  const checkGiven = (value: number | undefined) => (value === undefined ? undefined : check?.(value));
  return { placeholder: 'DURATION', ...row, fallback: undefined, parse, check: checkGiven };
}

export function toggle(row: RowWithDefault<boolean>): Flag<boolean> {
  return { ...row, isSwitch: true, parse: (texts) => truth(last(texts)) };
}

/** A boolean flag whose default depends on other settings. */
export function optionalToggle(row: Row<boolean | undefined>): Flag<boolean | undefined> {
  return { ...row, fallback: undefined, isSwitch: true, parse: (texts) => truth(last(texts)) };
}

export function texts(row: Row<readonly string[]> & { readonly fallback?: readonly string[] }): Flag<readonly string[]> {
  return { placeholder: 'A,B,…', fallback: [], ...row, accumulates: true, parse: items };
}

/** `a=true,b=false`; a name alone means true. */
export function toggles(row: Row<Readonly<Record<string, boolean>>>): Flag<Readonly<Record<string, boolean>>> {
  return {
    placeholder: 'NAME=true|false,…',
    ...row,
    fallback: {},
    accumulates: true,
    parse: (texts) => Object.fromEntries(items(texts).map(namedTruth)),
  };
}

/** `a=b`; the flag is repeated for several pairs. */
export function pairs(row: Row<Readonly<Record<string, string>>>): Flag<Readonly<Record<string, string>>> {
  return {
    placeholder: 'KEY=VALUE',
    ...row,
    fallback: {},
    accumulates: true,
    parse: (texts) => Object.fromEntries(texts.map(pairOf)),
  };
}

function pairOf(given: string): [string, string] {
  const [key = '', value] = given.split(/=(.*)/s).map((side) => side.trim());
  if (key === '' || value === undefined) throw new BadValue('is not of the form key=value');
  return [key, value];
}

function last(texts: readonly string[]): string {
  return texts.at(-1) ?? '';
}

function unreadable(path: string): string | undefined {
  try {
    accessSync(path, constants.R_OK);
    return undefined;
  } catch (error) {
    return `cannot be read (${(error as NodeJS.ErrnoException).code})`;
  }
}

function items(texts: readonly string[]): string[] {
  return texts.flatMap((given) => given.split(',')).flatMap((item) => item.trim() || []);
}

export function wholeNumber(given: string): number {
  if (!/^[+-]?\d{1,15}$/.test(given)) throw new BadValue('is not a whole number');
  return Number(given);
}

function decimalNumber(given: string): number {
  if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/.test(given)) throw new BadValue('is not a number');
  return Number(given);
}

function durationOf(given: string): number {
  const milliseconds = parseDuration(given);
  if (milliseconds === undefined) throw new BadValue('is not a duration such as 90s, 5m or 1h30m');
  return milliseconds;
}

/** The spellings that Go's flags accept. */
function truth(given: string): boolean {
  if (/^(1|t|T|true|TRUE|True)$/.test(given)) return true;
  if (/^(0|f|F|false|FALSE|False)$/.test(given)) return false;
  throw new BadValue('is neither true nor false');
}

function namedTruth(item: string): [string, boolean] {
  const [name = '', value = 'true'] = item.split(/=(.*)/s).map((side) => side.trim());
  if (name === '') throw new BadValue('has a value without a name');
  return [name, truth(value === '' ? 'true' : value)];
}

function oneOf<T extends string>(allowed: readonly T[], given: string): T {
  const found = allowed.find((value) => value === given);
  if (found === undefined) throw new BadValue(`is not one of ${allowed.join(', ')}`);
  return found;
}

function isOneOf<T extends string>(allowed: readonly T[]): (value: T | undefined) => string | undefined {
  return (value) => (value === undefined || allowed.includes(value) ? undefined : `is not one of ${allowed.join(', ')}`);
}

function outside(value: number, min: number, max = Number.MAX_SAFE_INTEGER): string | undefined {
  if (value >= min && value <= max) return undefined;
  return max === Number.MAX_SAFE_INTEGER ? `must be at least ${min}` : `must be between ${min} and ${max}`;
}
