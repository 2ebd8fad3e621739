import { invalidCharacter } from './syntax-error.ts';

const maxInt64 = 2n ** 63n - 1n;
const minInt64 = -(2n ** 63n);

interface ParsedNumber {
  readonly text: string;
  readonly value: number | bigint;
  /** It is written as an integer, and is that integer. */
  readonly isExact: boolean;
  readonly end: number;
}

/** Integers within 64 bits are exact; everything else is the nearest double, as Go has it, or infinite if there is none. */
export function parseNumber(bytes: Buffer, start: number): ParsedNumber {
  const whole = endOfWhole(bytes, start);
  const end = endOfExponent(bytes, endOfFraction(bytes, whole));
  const text = bytes.toString('latin1', start, end);
  const value = end === whole ? toInteger(text) : Number(text);
  return { text, value, isExact: end === whole && (typeof value === 'bigint' || Number.isSafeInteger(value)), end };
}

function endOfWhole(bytes: Uint8Array, start: number): number {
  const first = bytes[start] === 0x2d ? start + 1 : start;
  if (bytes[first] === 0x30) return first + 1;
  return endOfDigits(bytes, first, 'in numeric literal');
}

function endOfFraction(bytes: Uint8Array, at: number): number {
  return bytes[at] === 0x2e ? endOfDigits(bytes, at + 1, 'after decimal point in numeric literal') : at;
}

function endOfExponent(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== 0x65 && bytes[at] !== 0x45) return at;
  const sign = bytes[at + 1];
  return endOfDigits(bytes, sign === 0x2b || sign === 0x2d ? at + 2 : at + 1, 'in exponent of numeric literal');
}

/** At least one digit must be there. The end of the text counts as a space. */
function endOfDigits(bytes: Uint8Array, start: number, context: string): number {
  const first = bytes[start] ?? 0x20;
  if (first < 0x30 || first > 0x39) throw invalidCharacter(first, context, start);
  let at = start + 1;
  while ((bytes[at] as number) >= 0x30 && (bytes[at] as number) <= 0x39) at++;
  return at;
}

function toInteger(text: string): number | bigint {
  const near = Number(text);
  if (Number.isSafeInteger(near)) return near;
  if (text.length > 20) return near;
  const exact = BigInt(text);
  return exact > maxInt64 || exact < minInt64 ? near : exact;
}
