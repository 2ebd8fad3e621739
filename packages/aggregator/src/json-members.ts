import { parseJson } from '@tsukube/machinery';

/** A member of a JSON object: the position of its value. */
export interface JsonMember {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * The members of the object that starts at a position, found without parsing their values, so that a document of megabytes can be
 * parsed in pieces. Throws if the text is not a JSON object; values are not validated.
 */
export function* membersOf(text: Buffer, start = 0): Generator<JsonMember> {
  let at = expect(text, skipSpace(text, start), openBrace);
  at = skipSpace(text, at);
  if (text[at] === closeBrace) return;
  for (;;) {
    const nameStart = skipSpace(text, at);
    const nameEnd = skipString(text, expect(text, nameStart, quote));
    const valueStart = skipSpace(text, expect(text, skipSpace(text, nameEnd), colon));
    const end = skipValue(text, valueStart);
    yield { name: String(parseJson(text.subarray(nameStart, nameEnd)).value), start: valueStart, end };
    at = skipSpace(text, end);
    if (text[at] === closeBrace) return;
    at = expect(text, at, comma);
  }
}

function expect(text: Buffer, at: number, byte: number): number {
  if (text[at] === byte) return at + 1;
  throw new Error(`invalid JSON at byte ${at}: ${JSON.stringify(String.fromCharCode(byte))} expected`);
}

function skipSpace(text: Buffer, start: number): number {
  let at = start;
  while (text[at] === 0x20 || text[at] === 0x0a || text[at] === 0x0d || text[at] === 0x09) at++;
  return at;
}

/** The position after the closing quote. `start` is the position after the opening one. */
function skipString(text: Buffer, start: number): number {
  for (let at = start; at < text.length; at++) {
    if (text[at] === quote) return at + 1;
    if (text[at] === backslash) at++;
  }
  throw new Error('invalid JSON: a string does not end');
}

function skipValue(text: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const byte = text[at];
    if (byte === quote) at = skipString(text, at + 1) - 1;
    else if (byte === openBrace || byte === openBracket) depth++;
    else if (byte === closeBrace || byte === closeBracket) depth--;
    if (depth < 0 || (depth === 0 && byte === comma)) return at;
    if (depth === 0 && (byte === closeBrace || byte === closeBracket)) return at + 1;
  }
  throw new Error('invalid JSON: a value does not end');
}
