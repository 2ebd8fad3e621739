import { ProtobufError } from './protobuf-error.ts';

/** The moment that Go takes for no time at all: 0001-01-01T00:00:00Z. */
export const zeroSeconds = -62_135_596_800;

const firstSeconds = -62_167_219_200;
const lastSeconds = 253_402_300_799;

/** RFC 3339 in UTC and whole seconds. */
export function formatSeconds(seconds: number | bigint): string {
  return `${dateAndTime(seconds)}Z`;
}

/** RFC 3339 in UTC with six digits of the second. */
export function formatMicros(seconds: number | bigint, nanos: number): string {
  const micros = Math.trunc(nanos / 1e3);
  const carry = Math.floor(micros / 1e6);
  return `${dateAndTime(Number(seconds) + carry)}.${String(micros - carry * 1e6).padStart(6, '0')}Z`;
}

function dateAndTime(seconds: number | bigint): string {
  if (seconds < firstSeconds || seconds > lastSeconds) throw new ProtobufError('a time must be between the years 0 and 9999');
  return new Date(Number(seconds) * 1e3).toISOString().slice(0, 19);
}
