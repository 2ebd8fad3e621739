import { goByteQuote } from './go-quote.ts';
import { trimRight } from './strings.ts';

/** Invalid duration; the message equals Go's. */
export class GoDurationError extends Error {
  override readonly name = 'GoDurationError';
}

const units = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['µs', 1_000n],
  ['μs', 1_000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);
const maxInt64 = 2n ** 63n - 1n;
const component = /([0-9]*)(?:\.([0-9]*))?([^0-9.]*)/y;

/** time.ParseDuration: nanoseconds of `1h30m` or `1.5s`. Throws GoDurationError. */
export function parseGoDuration(text: string): bigint {
  const [, sign, rest = ''] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  if (rest === '0') return 0n;
  if (rest === '' || rest.length > 256) throw invalid('invalid duration', text);
  let total = 0n;
  component.lastIndex = 0;
  while (component.lastIndex < rest.length) total += readComponent(component.exec(rest), text);
  if (total > (sign === '-' ? maxInt64 + 1n : maxInt64)) throw invalid('invalid duration', text);
  return sign === '-' ? -total : total;
}

/** Milliseconds, with fractions, of `1h30m` or `1.5s`. Throws GoDurationError. */
export function goDurationMs(text: string): number {
  return Number(parseGoDuration(text)) / 1e6;
}

function readComponent(match: RegExpExecArray | null, text: string): bigint {
  const [, whole = '', fraction = '', unitName = ''] = match ?? [];
  if (whole === '' && fraction === '') throw invalid('invalid duration', text);
  if (unitName === '') throw invalid('missing unit in duration', text);
  const unit = units.get(unitName);
  if (unit === undefined) throw invalid(`unknown unit ${goByteQuote(unitName)} in duration`, text);
  return BigInt(whole) * unit + (fraction === '' ? 0n : (BigInt(fraction) * unit) / 10n ** BigInt(fraction.length));
}

/** Duration.String: 1h30m0s, 1.5s, 10ms. */
export function formatGoDuration(nanoseconds: bigint): string {
  if (nanoseconds < 0n) return `-${formatGoDuration(-nanoseconds)}`;
  if (nanoseconds === 0n) return '0s';
  if (nanoseconds < 1_000n) return `${nanoseconds}ns`;
  if (nanoseconds < 1_000_000n) return `${decimal(nanoseconds, 1_000n)}µs`;
  if (nanoseconds < 1_000_000_000n) return `${decimal(nanoseconds, 1_000_000n)}ms`;
  const minutes = nanoseconds / 60_000_000_000n;
  const seconds = `${decimal(nanoseconds % 60_000_000_000n, 1_000_000_000n)}s`;
  if (minutes === 0n) return seconds;
  return minutes < 60n ? `${minutes}m${seconds}` : `${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

function decimal(value: bigint, unit: bigint): string {
  const digits = (value % unit).toString().padStart(unit.toString().length - 1, '0');
  const fraction = trimRight(digits, '0');
  return fraction === '' ? `${value / unit}` : `${value / unit}.${fraction}`;
}

function invalid(problem: string, text: string): GoDurationError {
  return new GoDurationError(`time: ${problem} ${goByteQuote(text)}`);
}
