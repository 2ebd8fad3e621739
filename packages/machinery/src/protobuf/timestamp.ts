import { type GoTime, parseGoTime, rfc3339, rfc3339Micro } from '../text/go-time.ts';
import { ProtobufError } from './reader.ts';

export interface Timestamp {
  readonly seconds: number;
  readonly nanos: number;
}

/** Go's zero time: 0001-01-01T00:00:00Z. */
export const zeroSeconds = -62_135_596_800;

const firstSeconds = -62_167_219_200;
const lastSeconds = 253_402_300_799;

/** RFC 3339 in UTC, whole seconds. */
export function formatSeconds(seconds: number): string {
  return `${dateAndTime(seconds)}Z`;
}

/** RFC 3339 in UTC, microseconds. */
export function formatMicros({ seconds, nanos }: Timestamp): string {
  const micros = Math.trunc(nanos / 1e3);
  const carry = Math.floor(micros / 1e6);
  return `${dateAndTime(seconds + carry)}.${String(micros - carry * 1e6).padStart(6, '0')}Z`;
}

function dateAndTime(seconds: number): string {
  if (seconds < firstSeconds || seconds > lastSeconds) throw new ProtobufError('a time must be between the years 0 and 9999');
  return new Date(seconds * 1e3).toISOString().slice(0, 19);
}

const secondsLength = '2006-01-02T15:04:05Z'.length;
const microsLength = '2006-01-02T15:04:05.000000Z'.length;

export function parseSeconds(text: string): number {
  const milliseconds = text.length === secondsLength ? Date.parse(text) : Number.NaN;
  return Number.isNaN(milliseconds) ? parseTime(text, rfc3339).seconds : milliseconds / 1e3;
}

export function parseMicros(text: string): Timestamp {
  const milliseconds = text.length === microsLength && text.endsWith('Z') ? Date.parse(`${text.slice(0, 19)}Z`) : Number.NaN;
  if (!Number.isNaN(milliseconds)) return { seconds: milliseconds / 1e3, nanos: Number(text.slice(20, 26)) * 1e3 };
  const { seconds, nanoseconds } = parseTime(text, rfc3339Micro);
  return { seconds, nanos: nanoseconds };
}

function parseTime(text: string, layout: typeof rfc3339 | typeof rfc3339Micro): GoTime {
  try {
    return parseGoTime(text, layout);
  } catch (error) {
    throw new ProtobufError((error as Error).message, { cause: error });
  }
}
