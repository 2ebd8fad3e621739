import { parseGoDuration } from '@tsukube/machinery';

/** A schedule in the syntax of cron, as Kubernetes' CronJobs have it. */
export interface Schedule {
  /** The first time after `ms`; undefined if there is none within five years. */
  next(ms: number): number | undefined;
}

const ranges = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 6],
] as const;

const names: readonly (readonly string[])[] = [
  [],
  [],
  [],
  ['', 'jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'],
];

const descriptors: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/** Throws an Error if the schedule is malformed; the API server rejects such schedules. */
export function parseSchedule(text: string, timeZone?: string): Schedule {
  const words = text.split(/[ \t]/).filter((word) => word !== '');
  const zoned = words[0]?.startsWith('TZ=') || words[0]?.startsWith('CRON_TZ=') ? words.shift() : undefined;
  const spec = words.join(' ');
  const zone = zoned?.slice(zoned.indexOf('=') + 1) ?? timeZone;
  if (spec.startsWith('@every ')) return every(Number(parseGoDuration(spec.slice('@every '.length)) / 1_000_000n));
  const fields = (descriptors[spec] ?? spec).split(' ').map((field, i) => valuesOf(field, i));
  if (fields.length !== ranges.length) throw new Error(`expected exactly 5 fields, found ${fields.length}: [${spec}]`);
  return { next: (ms) => search(fields, ms, zone) };
}

function every(interval: number): Schedule {
  const whole = Math.max(1000, Math.floor(interval / 1000) * 1000);
  return { next: (ms) => Math.floor(ms / 1000) * 1000 + whole };
}

/** `*` and `?` leave the other of the two fields for days to decide. */
interface Field {
  readonly values: ReadonlySet<number>;
  readonly isStar: boolean;
}

function valuesOf(field: string, position: number): Field {
  const values = new Set<number>();
  const [min, max] = ranges[position] ?? [0, 0];
  let isStar = false;
  for (const part of field.split(',').filter((text) => text !== '')) {
    const [limits = '', stepText] = part.split('/');
    const [low = '', high] = limits.split('-');
    const isEvery = low === '*' || low === '?';
    isStar ||= isEvery && (stepText === undefined || stepText === '1');
    const first = isEvery ? min : numberOf(low, position);
    const isOpen = isEvery || (high === undefined && stepText !== undefined);
    const last = isOpen ? max : high === undefined ? first : numberOf(high, position);
    const step = stepText === undefined ? 1 : Number(stepText);
    if (!(step >= 1) || !(first >= min) || !(last <= max)) throw new Error(`malformed field ${field}`);
    for (let value = first; value <= last; value += step) values.add(value);
  }
  return { values, isStar };
}

function numberOf(text: string, position: number): number {
  const named = names[position]?.indexOf(text.toLowerCase()) ?? -1;
  return named >= 0 && text !== '' ? named : Number(text);
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const horizonMs = 5 * 366 * 24 * hourMs;

interface LocalTime {
  readonly minute: number;
  readonly hour: number;
  readonly day: number;
  readonly month: number;
  readonly weekday: number;
}

/** Skips days and hours that do not match, so that a search of years takes a few thousand steps. */
function search(fields: readonly Field[], from: number, zone: string | undefined): number | undefined {
  const [minutes, hours, days, months, weekdays] = fields as [Field, Field, Field, Field, Field];
  const local = localClock(zone);
  const isDay = ({ day, weekday }: LocalTime): boolean => {
    const [byDay, byWeekday] = [days.values.has(day), weekdays.values.has(weekday)];
    return days.isStar || weekdays.isStar ? byDay && byWeekday : byDay || byWeekday;
  };
  let time = Math.floor(from / minuteMs) * minuteMs + minuteMs;
  for (const end = from + horizonMs; time < end; ) {
    const at = local(time);
    if (!months.values.has(at.month) || !isDay(at))
      time +=
        (24 - at.hour) * hourMs - at.minute * minuteMs > hourMs
          ? (23 - at.hour) * hourMs + (60 - at.minute) * minuteMs
          : (60 - at.minute) * minuteMs;
    else if (!hours.values.has(at.hour)) time += (60 - at.minute) * minuteMs;
    else if (!minutes.values.has(at.minute)) time += minuteMs;
    else return time;
  }
  return undefined;
}

const weekdayNames = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

function localClock(zone: string | undefined): (ms: number) => LocalTime {
  if (zone === undefined || zone === '' || zone === 'UTC' || zone === 'Etc/UTC') {
    return (ms) => {
      const date = new Date(ms);
      return {
        minute: date.getUTCMinutes(),
        hour: date.getUTCHours(),
        day: date.getUTCDate(),
        month: date.getUTCMonth() + 1,
        weekday: date.getUTCDay(),
      };
    };
  }
  const numeric = 'numeric' as const;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    minute: numeric,
    hour: numeric,
    day: numeric,
    month: numeric,
    weekday: 'short',
  });
  return (ms) => {
    const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, value]));
    const number = (type: 'minute' | 'hour' | 'day' | 'month') => Number(parts.get(type));
    const weekday = weekdayNames.indexOf(parts.get('weekday') ?? '');
    return { minute: number('minute'), hour: number('hour'), day: number('day'), month: number('month'), weekday };
  };
}
