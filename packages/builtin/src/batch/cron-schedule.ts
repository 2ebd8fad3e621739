import { GoIntError, goQuote, parseGoDuration, parseGoInt64 } from '@tsukube/machinery';

/** Range and names of a field of a schedule. */
interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const fields: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'] },
  { min: 0, max: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
];

const descriptors = new Set(['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly']);

/** A syntax error with the message of Kubernetes' cron parser. */
class ScheduleError extends Error {
  override readonly name = 'ScheduleError';
}

/** The syntax error of a schedule; undefined if it is valid. */
export function scheduleProblem(schedule: string): string | undefined {
  try {
    checkSchedule(schedule);
    return undefined;
  } catch (error) {
    if (error instanceof ScheduleError) return error.message;
    throw error;
  }
}

function checkSchedule(schedule: string): void {
  const spec = withoutZone(schedule);
  if (spec.startsWith('@')) checkDescriptor(spec);
  else checkFields(spec);
}

function checkFields(spec: string): void {
  const texts = spec.split(/[\t\n\v\f\r \u0085\u00a0]+/).filter((text) => text !== '');
  if (texts.length !== fields.length)
    throw new ScheduleError(`expected exactly ${fields.length} fields, found ${texts.length}: [${texts.join(' ')}]`);
  for (const [i, bounds] of fields.entries()) checkField(texts[i] ?? '', bounds);
}

function withoutZone(schedule: string): string {
  if (!schedule.startsWith('TZ=') && !schedule.startsWith('CRON_TZ=')) return schedule;
  const space = schedule.indexOf(' ');
  if (space < 0) throw new ScheduleError('invalid schedule format: runtime error: slice bounds out of range [:-1]');
  const zone = schedule.slice(schedule.indexOf('=') + 1, space);
  if (zone !== '' && zone !== 'Local' && !isTimeZone(zone))
    throw new ScheduleError(`provided bad location ${zone}: unknown time zone ${zone}`);
  return schedule.slice(space).trim();
}

const every = '@every ';

function checkDescriptor(descriptor: string): void {
  if (descriptors.has(descriptor)) return;
  if (!descriptor.startsWith(every)) throw new ScheduleError(`unrecognized descriptor: ${descriptor}`);
  try {
    parseGoDuration(descriptor.slice(every.length));
  } catch (error) {
    throw new ScheduleError(`failed to parse duration ${descriptor}: ${(error as Error).message}`);
  }
}

function checkField(field: string, bounds: Bounds): void {
  for (const range of field.split(',')) if (range !== '') checkRange(range, bounds);
}

/** `number`, `number-number`, `*`, each with an optional `/step`. */
function checkRange(range: string, { min, max, names }: Bounds): void {
  const [limits = '', stepText, ...moreSteps] = range.split('/');
  const [low = '', high, ...moreLimits] = limits.split('-');
  const everything = low === '*' || low === '?';
  const start = everything ? min : numberOf(low, min, names);
  let end = everything ? max : high === undefined ? start : numberOf(high, min, names);
  if (!everything && moreLimits.length > 0) throw new ScheduleError(`too many hyphens: ${range}`);
  if (moreSteps.length > 0) throw new ScheduleError(`too many slashes: ${range}`);
  const step = stepText === undefined ? 1 : numberOf(stepText, 0);
  if (stepText !== undefined && high === undefined) end = max;
  if (start < min) throw new ScheduleError(`beginning of range (${start}) below minimum (${min}): ${range}`);
  if (end > max) throw new ScheduleError(`end of range (${end}) above maximum (${max}): ${range}`);
  if (start > end) throw new ScheduleError(`beginning of range (${start}) beyond end of range (${end}): ${range}`);
  if (step === 0) throw new ScheduleError(`step of range should be a positive number: ${range}`);
}

function numberOf(text: string, min: number, names: readonly string[] = []): number {
  const named = names.indexOf(text.toLowerCase());
  if (named >= 0) return named + min;
  try {
    return Number(parseGoInt64(text));
  } catch (error) {
    if (!(error instanceof GoIntError)) throw error;
    throw new ScheduleError(`failed to parse int from ${text}: strconv.Atoi: parsing ${goQuote(text)}: ${error.message}`);
  }
}

/** Whether the time zone database has this name. Names are case-sensitive. */
function isTimeZone(name: string): boolean {
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    // Names are looked up in any case, and aliases answer with the name they stand for.
    return timeZone.toLowerCase() === name.toLowerCase() ? timeZone === name : name !== name.toLowerCase();
  } catch {
    return false;
  }
}

const component = /^[A-Za-z.\-_0-9+]{1,14}$/;

/** The error of a time zone; undefined if it is valid. */
export function timeZoneProblem(name: string): string | undefined {
  if (name === '') return 'timeZone must be nil or non-empty string';
  const odd = name.split('/').some((part) => part === '.' || part === '..' || part.startsWith('-') || !component.test(part));
  if (odd) return `unknown time zone ${name}`;
  if (name.toLowerCase() === 'local')
    return 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
  return isTimeZone(name) ? undefined : `unknown time zone ${name}`;
}
