import { Base64Error, canonicalBase64 } from '../../text/base64.ts';
import { GoDurationError, parseGoDuration } from '../../text/go-duration.ts';
import { GoTimeError } from '../../text/go-time.ts';
import { parseTimestamp } from './time.ts';
import { CelDuration, CelError, CelTimestamp, type CelValue } from './value.ts';

/** Strings whose OpenAPI format maps to another CEL type. */
export const readersOfFormats: ReadonlyMap<string, (text: string) => CelValue> = new Map([
  ['duration', readDuration],
  ['date', readDate],
  ['date-time', readDateTime],
  ['byte', readBytes],
]);

const units: readonly (readonly [readonly string[], bigint])[] = [
  [['ns', 'nano'], 1n],
  [['us', 'µs', 'micro'], 1_000n],
  [['ms', 'milli'], 1_000_000n],
  [['s', 'sec'], 1_000_000_000n],
  [['m', 'min'], 60_000_000_000n],
  [['h', 'hr', 'hour'], 3_600_000_000_000n],
  [['d', 'day'], 86_400_000_000_000n],
  [['w', 'wk', 'week'], 604_800_000_000_000n],
];

function readDuration(text: string): CelValue {
  try {
    return new CelDuration(parseGoDuration(text));
  } catch (error) {
    if (!(error instanceof GoDurationError)) throw error;
    return readWordyDuration(text) ?? new CelError(`Invalid duration ${text}: unable to parse ${text} as duration`);
  }
}

// regex: linear; the lookbehind allows one match start per run of digits.
const wordyDuration = /(?<!\d)(\d+)\s*([A-Za-z\u00b5]+)/g;

/** go-openapi's durations allow words: `3 days`. */
function readWordyDuration(text: string): CelDuration | undefined {
  let total: bigint | undefined;
  for (const [, count = '', word = ''] of text.slice(0, 1_000).matchAll(wordyDuration)) {
    for (const unit of unitsNamed(word.toLowerCase())) total = (total ?? 0n) + BigInt(count) * unit;
  }
  return total === undefined ? undefined : new CelDuration(BigInt.asIntN(64, total));
}

/** The last name of a unit is a prefix: `days`, `hours`. */
function unitsNamed(word: string): bigint[] {
  return units.filter(([names]) => names.includes(word) || word.startsWith(names.at(-1) ?? word)).map(([, unit]) => unit);
}

function readDate(text: string): CelValue {
  const match = /^\d{4}-\d{2}-\d{2}$/.exec(text);
  try {
    if (match) return parseTimestamp(`${text}T00:00:00Z`);
  } catch (error) {
    if (!(error instanceof GoTimeError)) throw error;
  }
  const detail = match ? ': day out of range' : ` as "2006-01-02": cannot parse ${JSON.stringify(text)} as "2006"`;
  return new CelError(`Invalid date formatted string ${text}: parsing time ${JSON.stringify(text)}${detail}`);
}

function readDateTime(text: string): CelValue {
  if (text === '') return new CelTimestamp(0, 0);
  try {
    return parseTimestamp(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d([.,]\d+)?$/.test(text) ? `${text}Z` : text);
  } catch (error) {
    if (!(error instanceof GoTimeError)) throw error;
    return new CelError(`Invalid date-time formatted string ${text}: ${error.message}`);
  }
}

/** Kubernetes decodes the format `byte` with the URL-safe alphabet. */
function readBytes(text: string): CelValue {
  try {
    const standard = text.replace(/[+/]/g, '!').replaceAll('-', '+').replaceAll('_', '/');
    return new Uint8Array(Buffer.from(canonicalBase64(standard), 'base64'));
  } catch (error) {
    if (!(error instanceof Base64Error)) throw error;
    return new CelError(`Invalid byte formatted string ${text}: ${error.message}`);
  }
}
