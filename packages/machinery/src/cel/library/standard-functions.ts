import { BoundedCache } from '../../cache/bounded-cache.ts';
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  stringType,
  timestampType,
  typeParam,
  typeTypeOf,
  uintType,
} from '../types/type.ts';
import { noTrait } from '../values/arithmetic.ts';
import { conversions } from '../values/convert.ts';
import { typeOfValue } from '../values/type-of.ts';
import {
  CelDuration,
  CelError,
  CelTimestamp,
  CelTypeValue,
  type CelValue,
  normalInt,
  noSuchOverload,
  sizeOfValue,
} from '../values/value.ts';
import { declare, type FunctionDeclaration, globalOverload, memberOverload } from './declarations.ts';
import { matchesPattern } from './regex.ts';

const [a, b] = [typeParam('A'), typeParam('B')];
const identity = (value: CelValue): CelValue => value;

type Texts = (text: string, other: string) => CelValue;

/** Wraps a function of strings; other argument types are "no such overload". */
function ofTexts(call: Texts): (...args: CelValue[]) => CelValue {
  return (text, other) => (typeof text === 'string' && typeof other === 'string' ? call(text, other) : noSuchOverload);
}

function textPredicate(name: string, id: string, call: Texts): FunctionDeclaration {
  return { ...declare(name, memberOverload(id, [stringType, stringType], boolType, ofTexts(call))), operator: true };
}

const size = (value: CelValue): CelValue => sizeOfValue(value) ?? noTrait('size');
const sized: readonly (readonly [string, CelType])[] = [
  ['bytes', bytesType],
  ['list', listType(a)],
  ['map', mapType(a, b)],
  ['string', stringType],
];

const sizeFunction: FunctionDeclaration = {
  ...declare(
    'size',
    ...sized.flatMap(([name, type]) => [
      globalOverload(`size_${name}`, [type], intType, size),
      memberOverload(`${name}_size`, [type], intType, size),
    ]),
  ),
  operator: true,
};

const types = { bool: boolType, bytes: bytesType, double: doubleType, int: intType, string: stringType, uint: uintType };
const ids = { bool: 'bool', bytes: 'bytes', double: 'double', int: 'int64', string: 'string', uint: 'uint64' };
const allTypes: { readonly [name: string]: CelType } = { ...types, duration: durationType, timestamp: timestampType };
const allIds: { readonly [name: string]: string } = { ...ids, duration: 'duration', timestamp: 'timestamp' };

function conversion(to: string, ...from: string[]): FunctionDeclaration {
  const overloads = [to, ...from].map((each) =>
    globalOverload(
      `${allIds[each]}_to_${allIds[to]}`,
      [allTypes[each] as CelType],
      allTypes[to] as CelType,
      each === to ? identity : conversions[to],
    ),
  );
  return declare(to, ...overloads);
}

const matches: FunctionDeclaration = {
  ...declare(
    'matches',
    globalOverload('matches', [stringType, stringType], boolType, ofTexts(matchesPattern)),
    memberOverload('matches_string', [stringType, stringType], boolType, ofTexts(matchesPattern)),
  ),
  operator: true,
};

export const standardFunctions: readonly FunctionDeclaration[] = [
  sizeFunction,
  declare(
    'type',
    globalOverload('type', [a], typeTypeOf(a), (value: CelValue) => new CelTypeValue(typeOfValue(value))),
  ),
  conversion('bool', 'string'),
  conversion('bytes', 'string'),
  conversion('double', 'int', 'string', 'uint'),
  conversion('duration', 'int', 'string'),
  declare('dyn', globalOverload('to_dyn', [a], dynType, identity)),
  conversion('int', 'double', 'duration', 'string', 'timestamp', 'uint'),
  conversion('string', 'bool', 'bytes', 'double', 'duration', 'int', 'timestamp', 'uint'),
  conversion('timestamp', 'int', 'string'),
  conversion('uint', 'double', 'int', 'string'),
  textPredicate('contains', 'contains_string', (text, part) => text.includes(part)),
  textPredicate('endsWith', 'ends_with_string', (text, end) => text.endsWith(end)),
  textPredicate('startsWith', 'starts_with_string', (text, start) => text.startsWith(start)),
  matches,
];

/** Type conversion functions; with constant arguments they are folded. */
export const conversionNames: ReadonlySet<string> = new Set([...Object.keys(allTypes), 'dyn', 'type']);

/** A field of a local time, read from a Date whose UTC fields are the local ones. */
type Field = (local: Date, nanoseconds: number) => number;

const dayOfYear: Field = (date) => {
  const start = new Date(date.getTime());
  start.setUTCMonth(0, 1);
  return Math.round((date.getTime() - start.getTime()) / 86_400_000);
};

function timestampFunction(name: string, id: string, field: Field, inDuration?: bigint): FunctionDeclaration {
  const read = (time: CelValue, zone?: CelValue) => readField(time, zone, field);
  const zonedId = name === 'getSeconds' ? `${id}_tz` : `${id}_with_tz`;
  const overloads = [
    memberOverload(id, [timestampType], intType, (time: CelValue) => read(time)),
    memberOverload(zonedId, [timestampType, stringType], intType, read),
  ];
  if (inDuration !== undefined) {
    const whole = (duration: CelValue) =>
      duration instanceof CelDuration ? normalInt(duration.nanoseconds / inDuration) : noSuchOverload;
    overloads.push(memberOverload(id.replace('timestamp', 'duration'), [durationType], intType, whole));
  }
  return declare(name, ...overloads);
}

function readField(time: CelValue, zone: CelValue | undefined, field: Field): CelValue {
  if (!(time instanceof CelTimestamp)) return noSuchOverload;
  const offset = zone === undefined ? 0 : offsetOf(String(zone), time.seconds);
  if (offset instanceof CelError) return offset;
  return field(new Date((time.seconds + offset) * 1000), time.nanoseconds);
}

/** Offset in seconds east of UTC, for `+01:00` or an IANA time zone. */
function offsetOf(zone: string, seconds: number): number | CelError {
  const colon = zone.indexOf(':');
  if (colon < 0) return offsetOfZone(zone, seconds);
  const [hours, minutes] = [zone.slice(0, colon), zone.slice(colon + 1)];
  for (const part of [hours, minutes]) {
    if (!/^[+-]?\d{1,9}$/.test(part)) return new CelError(`strconv.Atoi: parsing ${JSON.stringify(part)}: invalid syntax`);
  }
  const sign = zone.startsWith('-') ? -1 : 1;
  return (Number(hours) * 60 + sign * Number(minutes)) * 60;
}

const formats = new BoundedCache<string, Intl.DateTimeFormat>({ entries: 600 });

function offsetOfZone(zone: string, seconds: number): number | CelError {
  if (zone === '' || zone === 'UTC') return 0;
  const format = formatFor(zone);
  if (format === undefined) return new CelError(`unknown time zone ${zone}`);
  const parts = Object.fromEntries(
    format.formatToParts(new Date(seconds * 1000)).map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  const local = new Date(0);
  local.setUTCFullYear(year, month - 1, day);
  local.setUTCHours(hour, minute, second);
  return local.getTime() / 1000 - seconds;
}

function formatFor(zone: string): Intl.DateTimeFormat | undefined {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  try {
    const digits = '2-digit';
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      hourCycle: 'h23',
      year: 'numeric',
      month: digits,
      day: digits,
      hour: digits,
      minute: digits,
      second: digits,
    });
    formats.set(zone, format);
    return format;
  } catch {
    return undefined;
  }
}

const nanosecondsIn = { hour: 3_600_000_000_000n, minute: 60_000_000_000n, second: 1_000_000_000n, millisecond: 1_000_000n };

export const timeFunctions: readonly FunctionDeclaration[] = [
  timestampFunction('getFullYear', 'timestamp_to_year', (date) => date.getUTCFullYear()),
  timestampFunction('getMonth', 'timestamp_to_month', (date) => date.getUTCMonth()),
  timestampFunction('getDayOfYear', 'timestamp_to_day_of_year', dayOfYear),
  timestampFunction('getDayOfMonth', 'timestamp_to_day_of_month', (date) => date.getUTCDate() - 1),
  timestampFunction('getDate', 'timestamp_to_day_of_month_1_based', (date) => date.getUTCDate()),
  timestampFunction('getDayOfWeek', 'timestamp_to_day_of_week', (date) => date.getUTCDay()),
  timestampFunction('getHours', 'timestamp_to_hours', (date) => date.getUTCHours(), nanosecondsIn.hour),
  timestampFunction('getMinutes', 'timestamp_to_minutes', (date) => date.getUTCMinutes(), nanosecondsIn.minute),
  timestampFunction('getSeconds', 'timestamp_to_seconds', (date) => date.getUTCSeconds(), nanosecondsIn.second),
  timestampFunction(
    'getMilliseconds',
    'timestamp_to_milliseconds',
    (_, nanoseconds) => Math.floor(nanoseconds / 1_000_000),
    nanosecondsIn.millisecond,
  ),
];
