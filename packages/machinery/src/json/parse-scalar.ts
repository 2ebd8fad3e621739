import { endOfInput, invalidCharacter } from './errors.ts';
import { skipString } from './scan.ts';

const replacement = 0xfffd;
const shortEscapes = new Map([
  [0x22, 0x22],
  [0x5c, 0x5c],
  [0x2f, 0x2f],
  [0x62, 0x08],
  [0x66, 0x0c],
  [0x6e, 0x0a],
  [0x72, 0x0d],
  [0x74, 0x09],
]);

/** Parses a string; `start` is after the opening quote, `end` after the closing one. */
export function parseString(bytes: Buffer, start: number): { text: string; end: number } {
  let at = start;
  while (isPlain(bytes[at])) at++;
  if (bytes[at] === 0x22) return { text: bytes.toString('latin1', start, at), end: at + 1 };
  return parseQuickly(bytes, start, at) ?? parseExactly(bytes, start);
}

/** Uses JSON.parse. Undefined for lone surrogates and invalid UTF-8, which it treats differently from Go. */
function parseQuickly(bytes: Buffer, start: number, at: number): { text: string; end: number } | undefined {
  const end = skipString(bytes, at);
  if (end < 0) return undefined;
  try {
    const text = JSON.parse(bytes.toString('utf8', start - 1, end)) as string;
    return text.includes('\ufffd') ? undefined : { text, end };
  } catch {
    return undefined;
  }
}

function parseExactly(bytes: Buffer, start: number): { text: string; end: number } {
  let text = '';
  let at = start;
  for (;;) {
    const plain = at;
    while (isPlain(bytes[at])) at++;
    if (at > plain) text += bytes.toString('latin1', plain, at);
    const byte = bytes[at];
    if (byte === undefined) throw endOfInput(at);
    if (byte === 0x22) return { text, end: at + 1 };
    if (byte < 0x20) throw invalidCharacter(byte, 'in string literal', at);
    const piece = byte === 0x5c ? readEscape(bytes, at) : readUtf8(bytes, at);
    text += String.fromCodePoint(piece.code);
    at = piece.end;
  }
}

interface Character {
  readonly code: number;
  readonly end: number;
}

function isPlain(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x20 && byte < 0x80 && byte !== 0x22 && byte !== 0x5c;
}

/** Like Go, treats the end of the text within an escape as a space. */
function readEscape(bytes: Uint8Array, at: number): Character {
  const letter = bytes[at + 1] ?? 0x20;
  if (letter === 0x75) return readUnicodeEscape(bytes, at);
  const code = shortEscapes.get(letter);
  if (code === undefined) throw invalidCharacter(letter, 'in string escape code', at + 1);
  return { code, end: at + 2 };
}

/** A lone surrogate becomes U+FFFD. */
function readUnicodeEscape(bytes: Uint8Array, at: number): Character {
  const code = readHex(bytes, at + 2);
  const end = at + 6;
  if (code < 0xd800 || code > 0xdfff) return { code, end };
  if (code < 0xdc00 && bytes[end] === 0x5c && bytes[end + 1] === 0x75) {
    const low = readHex(bytes, end + 2);
    if (low >= 0xdc00 && low <= 0xdfff) return { code: 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00), end: end + 6 };
  }
  return { code: replacement, end };
}

function readHex(bytes: Uint8Array, start: number): number {
  let code = 0;
  for (let at = start; at < start + 4; at++) {
    const byte = bytes[at] ?? 0x20;
    const digit = hexDigit(byte);
    if (digit < 0) throw invalidCharacter(byte, 'in \\u hexadecimal character escape', at);
    code = code * 16 + digit;
  }
  return code;
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

/** UTF-8 sequences by range of the first byte: length, payload bits of the first byte, smallest code point. */
const sequences = [
  { from: 0xc2, to: 0xdf, length: 2, mask: 0x1f, least: 0x80 },
  { from: 0xe0, to: 0xef, length: 3, mask: 0x0f, least: 0x800 },
  { from: 0xf0, to: 0xf4, length: 4, mask: 0x07, least: 0x10000 },
];

/** Each invalid byte becomes one U+FFFD. TextDecoder would merge several into one. */
function readUtf8(bytes: Uint8Array, at: number): Character {
  const first = bytes[at] as number;
  const sequence = sequences.find(({ from, to }) => first >= from && first <= to);
  const invalid = { code: replacement, end: at + 1 };
  if (sequence === undefined) return invalid;
  let code = first & sequence.mask;
  for (let next = at + 1; next < at + sequence.length; next++) {
    const byte = bytes[next];
    if (byte === undefined || (byte & 0xc0) !== 0x80) return invalid;
    code = (code << 6) | (byte & 0x3f);
  }
  const isCharacter = code >= sequence.least && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isCharacter ? { code, end: at + sequence.length } : invalid;
}

const maxInt64 = 2n ** 63n - 1n;
const minInt64 = -(2n ** 63n);

interface ParsedNumber {
  readonly text: string;
  readonly value: number | bigint;
  /** Spelled as an integer and represented exactly. */
  readonly isExact: boolean;
  readonly end: number;
}

/** Integers within 64 bits are exact; everything else is the nearest double, infinite if out of range. */
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

/** Requires at least one digit. Treats the end of the text as a space. */
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
