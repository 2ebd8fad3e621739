const quote = 0x22;
const backslash = 0x5c;

/** Every integer of this many digits is a safe integer. */
const safeDigits = 15;
/** Longer strings are searched with indexOf instead of byte by byte, unless they contain escapes. */
const shortString = 48;

const other = 0;
const string = 1;
const digit = 2;
const colon = 3;
const opening = 4;
const closing = 5;
const exponent = 6;
const classes = classify([0x45, 0x65]);
/** Also treats the decimal point as an exponent, so that fractions go to the exact parser. */
const classesWithPoint = classify([0x45, 0x65, 0x2e]);

/**
 * Counts the keys of a text that JSON.parse reads exactly; -1 if it may contain something JSON.parse loses: integers of
 * too many digits, exponents, lone surrogates, nesting beyond the limit and, with `keepsText`, fractions. Does not validate
 * the text.
 */
export function scanJson(bytes: Uint8Array, maxDepth: number, keepsText = false, start = 0, end = bytes.length): number {
  const kinds = keepsText ? classesWithPoint : classes;
  let keys = 0;
  let depth = 0;
  let digits = 0;
  let at = start;
  while (at < end) {
    const kind = kinds[bytes[at++] as number];
    if (kind === other) {
      digits = 0;
    } else if (kind === string) {
      digits = 0;
      at = skipString(bytes, at);
      if (at < 0) return -1;
    } else if (kind === digit) {
      if (++digits > safeDigits) return -1;
    } else {
      if (kind === colon) keys++;
      else if (kind === closing) depth--;
      else if (kind === opening ? ++depth > maxDepth : digits > 0) return -1;
      digits = 0;
    }
  }
  return keys;
}

/** The position after the closing quote; -1 if it is missing, or if there is an escaped surrogate. */
export function skipString(bytes: Uint8Array, start: number): number {
  const near = Math.min(start + shortString, bytes.length);
  for (let at = start; at < near; at++) {
    const byte = bytes[at];
    if (byte === quote) return at + 1;
    if (byte === backslash) return walkString(bytes, at);
  }
  return searchString(bytes, near);
}

function walkString(bytes: Uint8Array, start: number): number {
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) return at + 1;
    if (byte === backslash && isSurrogate(bytes, ++at)) return -1;
  }
  return -1;
}

function searchString(bytes: Uint8Array, start: number): number {
  const end = bytes.indexOf(quote, start);
  return end < 0 || bytes.subarray(start, end).includes(backslash) ? walkString(bytes, start) : end + 1;
}

/** Whether the escape at this position is a surrogate, \ud800 to \udfff. */
function isSurrogate(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0x75 && ((bytes[at + 1] as number) | 0x20) === 0x64;
}

function classify(exponents: readonly number[]): Uint8Array {
  const table = new Uint8Array(256);
  table[quote] = string;
  table.fill(digit, 0x30, 0x3a);
  table[0x3a] = colon;
  for (const byte of [0x5b, 0x7b]) table[byte] = opening;
  for (const byte of [0x5d, 0x7d]) table[byte] = closing;
  for (const byte of exponents) table[byte] = exponent;
  return table;
}
