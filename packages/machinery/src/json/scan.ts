const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;

/** Any integer of this many digits is exact as a number. */
const safeDigits = 15;

/**
 * The number of keys in a text that JSON.parse reads exactly; -1 if it may hold what JSON.parse loses: integers of more
 * digits than a number keeps, exponents that overflow, halves of surrogate pairs, nesting beyond the limit. Whether the
 * text is valid is not looked at.
 */
export function scanJson(bytes: Uint8Array, maxDepth: number): number {
  const length = bytes.length;
  let keys = 0;
  let depth = 0;
  let digits = 0;
  let at = 0;
  while (at < length) {
    const byte = bytes[at++] as number;
    if (byte === quote) {
      at = skipString(bytes, at);
      if (at < 0) return -1;
      digits = 0;
    } else if (byte >= 0x30 && byte <= 0x39) {
      if (++digits > safeDigits) return -1;
    } else {
      digits = 0;
      if (byte === colon) keys++;
      else if (isOpening(byte)) {
        if (++depth > maxDepth) return -1;
      } else if (isClosing(byte)) depth--;
      else if (byte === 0x45 || (byte === 0x65 && isExponent(bytes, at))) return -1;
    }
  }
  return keys;
}

/** The position after the closing quote; -1 if there is none, or if an escape may be half of a surrogate pair. */
function skipString(bytes: Uint8Array, start: number): number {
  const length = bytes.length;
  let at = start;
  while (at < length) {
    const byte = bytes[at++];
    if (byte === quote) return at;
    if (byte !== backslash) continue;
    if (bytes[at] === 0x75 && ((bytes[at + 1] as number) | 0x20) === 0x64) return -1;
    at++;
  }
  return -1;
}

function isOpening(byte: number): boolean {
  return byte === 0x7b || byte === 0x5b;
}

function isClosing(byte: number): boolean {
  return byte === 0x7d || byte === 0x5d;
}

/** Tells the e of 1e5 from those of true and false. */
function isExponent(bytes: Uint8Array, afterE: number): boolean {
  const before = bytes[afterE - 2] as number;
  return before >= 0x30 && before <= 0x39;
}
