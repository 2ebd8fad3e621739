import { parseGoTime, rfc3339 } from '../../text/go-time.ts';
import { trimRight } from '../../text/strings.ts';
import { CelDuration, CelError, CelTimestamp, type CelValue, checkedInt, intOverflow, isError } from './value.ts';

const billion = 1_000_000_000n;
const timestampOverflow = new CelError('timestamp overflow');
/** Years 1 to 9999. */
const minSeconds = -62_135_596_800;
const maxSeconds = 253_402_300_799;

/** Returns an error value if the timestamp is out of range. */
export function checkedTimestamp(seconds: number | bigint, nanoseconds: number, offset = 0): CelTimestamp | CelError {
  if (seconds < minSeconds || seconds > maxSeconds) return timestampOverflow;
  return new CelTimestamp(Number(seconds), nanoseconds, offset);
}

export function addToTimestamp({ seconds, nanoseconds, offset }: CelTimestamp, duration: bigint): CelValue {
  const total = BigInt(seconds) * billion + BigInt(nanoseconds) + duration;
  const fraction = ((total % billion) + billion) % billion;
  return checkedTimestamp((total - fraction) / billion, Number(fraction), offset);
}

export function subtractTimestamps(a: CelTimestamp, b: CelTimestamp): CelValue {
  const seconds = BigInt(a.seconds - b.seconds) * billion;
  return checkedDuration(seconds + BigInt(a.nanoseconds - b.nanoseconds));
}

export function addDurations(a: CelDuration, b: CelDuration): CelValue {
  return checkedDuration(a.nanoseconds + b.nanoseconds);
}

export function subtractDurations(a: CelDuration, b: CelDuration): CelValue {
  return checkedDuration(a.nanoseconds - b.nanoseconds);
}

function checkedDuration(nanoseconds: bigint): CelValue {
  return isError(checkedInt(nanoseconds)) ? intOverflow : new CelDuration(nanoseconds);
}

/** Throws GoTimeError. */
export function parseTimestamp(text: string): CelTimestamp {
  const { seconds, nanoseconds } = parseGoTime(text, rfc3339);
  const zone = /([+-])(\d\d):(\d\d)$/.exec(text);
  const offset = zone === null ? 0 : (zone[1] === '-' ? -1 : 1) * (Number(zone[2]) * 3600 + Number(zone[3]) * 60);
  return new CelTimestamp(seconds, nanoseconds, offset);
}

/** RFC 3339 in its original offset, without trailing zeros of the nanoseconds. */
export function formatTimestamp({ seconds, nanoseconds, offset }: CelTimestamp): string {
  const date = new Date((seconds + offset) * 1000).toISOString();
  return `${date.slice(0, -'.000Z'.length)}${fractionText(nanoseconds)}${zoneText(offset)}`;
}

function zoneText(offset: number): string {
  if (offset === 0) return 'Z';
  const minutes = Math.abs(offset) / 60;
  const [hour, minute] = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'));
  return `${offset < 0 ? '-' : '+'}${hour}:${minute}`;
}

function fractionText(nanoseconds: number): string {
  return nanoseconds === 0 ? '' : `.${trimRight(String(nanoseconds).padStart(9, '0'), '0')}`;
}

/** Seconds as the shortest decimal of a float64, as in Go. */
export function formatCelDuration({ nanoseconds }: CelDuration): string {
  return `${plainDecimal(secondsOf(nanoseconds))}s`;
}

/** Go's Duration.Seconds. */
export function secondsOf(nanoseconds: bigint): number {
  const whole = nanoseconds / 1_000_000_000n;
  return Number(whole) + Number(nanoseconds % 1_000_000_000n) / 1e9;
}

/** Decimal notation without an exponent. */
function plainDecimal(value: number): string {
  const text = String(value);
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (match === null) return text;
  const [, sign = '', first = '', fraction = '', exponent = ''] = match;
  const point = Number(exponent) + 1;
  const digits = first + fraction;
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return `${sign}${digits.padEnd(point, '0').slice(0, point)}${digits.length > point ? `.${digits.slice(point)}` : ''}`;
}
