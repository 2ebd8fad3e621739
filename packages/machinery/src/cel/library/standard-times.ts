import { declare, type FunctionDeclaration, memberOverload } from '../check/declarations.ts';
import { durationType, intType, stringType, timestampType } from '../types/type.ts';
import { normalInt } from '../values/integer.ts';
import { CelDuration, CelError, CelTimestamp, type CelValue, noSuchOverload } from '../values/value.ts';

/** The clock of a place: what its fields are is read as if they were those of UTC. */
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
    memberOverload(id, [timestampType], intType, (time) => read(time as CelValue)),
    memberOverload(zonedId, [timestampType, stringType], intType, (time, zone) => read(time as CelValue, zone)),
  ];
  if (inDuration !== undefined) {
    const whole = (duration: CelValue) =>
      duration instanceof CelDuration ? normalInt(duration.nanoseconds / inDuration) : noSuchOverload;
    overloads.push(memberOverload(id.replace('timestamp', 'duration'), [durationType], intType, whole as () => CelValue));
  }
  return declare(name, ...overloads);
}

function readField(time: CelValue, zone: CelValue | undefined, field: Field): CelValue {
  if (!(time instanceof CelTimestamp)) return noSuchOverload;
  const offset = zone === undefined ? 0 : offsetOf(String(zone), time.seconds);
  if (offset instanceof CelError) return offset;
  return field(new Date((time.seconds + offset) * 1000), time.nanoseconds);
}

/** Seconds east of UTC, for `+01:00` or the name of a place. */
function offsetOf(zone: string, seconds: number): number | CelError {
  const colon = zone.indexOf(':');
  if (colon < 0) return offsetOfPlace(zone, seconds);
  const [hours, minutes] = [zone.slice(0, colon), zone.slice(colon + 1)];
  for (const part of [hours, minutes]) {
    if (!/^[+-]?\d{1,9}$/.test(part)) return new CelError(`strconv.Atoi: parsing ${JSON.stringify(part)}: invalid syntax`);
  }
  const sign = zone.startsWith('-') ? -1 : 1;
  return (Number(hours) * 60 + sign * Number(minutes)) * 60;
}

const formats = new Map<string, Intl.DateTimeFormat>();
const maxFormats = 600;

function offsetOfPlace(zone: string, seconds: number): number | CelError {
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
    if (formats.size >= maxFormats) formats.clear();
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
