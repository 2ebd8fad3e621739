import type { CelDuration, CelTimestamp } from './value.ts';

/** RFC 3339 in UTC, with as much of the nanoseconds as there is. */
export function formatTimestamp({ seconds, nanoseconds }: CelTimestamp): string {
  const date = new Date(seconds * 1000).toISOString();
  const whole = date.slice(0, -'.000Z'.length).replace(/^[+](\d{2})(\d{4})/, '$2');
  return `${whole}${fractionText(nanoseconds)}Z`;
}

function fractionText(nanoseconds: number): string {
  return nanoseconds === 0 ? '' : `.${String(nanoseconds).padStart(9, '0').replace(/0+$/, '')}`;
}

/** Seconds, as the shortest decimal of the double that Go takes them for. */
export function formatDuration({ nanoseconds }: CelDuration): string {
  return `${plainDecimal(secondsOf(nanoseconds))}s`;
}

/** As Go adds whole seconds and their fraction. */
export function secondsOf(nanoseconds: bigint): number {
  const whole = nanoseconds / 1_000_000_000n;
  return Number(whole) + Number(nanoseconds % 1_000_000_000n) / 1e9;
}

/** A number without an exponent. */
export function plainDecimal(value: number): string {
  const text = String(value);
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (match === null) return text;
  const [, sign = '', first = '', fraction = '', exponent = ''] = match;
  const point = Number(exponent) + 1;
  const digits = first + fraction;
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return `${sign}${digits.padEnd(point, '0').slice(0, point)}${digits.length > point ? `.${digits.slice(point)}` : ''}`;
}
