/** Finds parts of an object in its JSON without parsing it. The JSON was written by this server and is well-formed. */

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const comma = 0x2c;

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The end of `{"kind":"…","apiVersion":"…",`, which items of a list do not have. */
export function endOfTypeMeta(bytes: Buffer): number {
  return bytes.indexOf('"metadata":');
}

export function metadataSpan(bytes: Buffer): Span {
  const start = endOfTypeMeta(bytes) + '"metadata":'.length;
  return { start, end: endOfValue(bytes, start) };
}

/** The value of a key of the object that starts at `at`, or undefined. */
export function member(bytes: Buffer, at: number, key: string): Span | undefined {
  let i = at + 1;
  while (bytes[i] === quote) {
    const keyEnd = endOfString(bytes, i);
    const start = keyEnd + 1;
    const end = endOfValue(bytes, start);
    if (keyEnd - i === key.length + 2 && bytes.toString('latin1', i + 1, keyEnd - 1) === key) return { start, end };
    i = bytes[end] === comma ? end + 1 : end;
  }
  return undefined;
}

function endOfValue(bytes: Buffer, at: number): number {
  const first = bytes[at];
  if (first === quote) return endOfString(bytes, at);
  if (first === openBrace || first === openBracket) return endOfNested(bytes, at);
  let i = at;
  while (i < bytes.length && bytes[i] !== comma && bytes[i] !== closeBrace && bytes[i] !== closeBracket) i++;
  return i;
}

function endOfString(bytes: Buffer, at: number): number {
  for (let i = at + 1; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === backslash) i++;
    else if (byte === quote) return i + 1;
  }
  return bytes.length;
}

function endOfNested(bytes: Buffer, at: number): number {
  let depth = 0;
  for (let i = at; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === quote) i = endOfString(bytes, i) - 1;
    else if (byte === openBrace || byte === openBracket) depth++;
    else if ((byte === closeBrace || byte === closeBracket) && --depth === 0) return i + 1;
  }
  return bytes.length;
}

/** The bytes of the value at a path of keys, or undefined. */
export function memberOf(bytes: Buffer, ...path: readonly string[]): Buffer | undefined {
  let start = 0;
  let end = bytes.length;
  for (const key of path) {
    const span = bytes[start] === openBrace ? member(bytes, start, key) : undefined;
    if (!span) return undefined;
    ({ start, end } = span);
  }
  return bytes.subarray(start, end);
}
