import { CelDouble, CelUint, maxInt64, maxUint64, minInt64, normalInt } from '../values/value.ts';
import type { Expr, LiteralValue } from './ast.ts';
import type { Issues } from './source.ts';
import type { TokenStream } from './token-stream.ts';
import type { Token } from './tokens.ts';

const numbersAfterSign = ['NUM_INT', 'NUM_FLOAT'];

/** Parses a literal: a number with its sign, string, bytes, bool or null. */
export function readLiteral(tokens: TokenStream, issues: Issues): Expr {
  const start = tokens.peek();
  const negative = start.kind === '-';
  if (negative && !numbersAfterSign.includes(tokens.peek(1).kind)) throw tokens.noAlternative(1);
  if (negative) tokens.take();
  const value = valueOfToken(tokens.take(), negative ? '-' : '');
  if (!(value instanceof LiteralProblem)) return { is: 'literal', at: start.at, value };
  issues.report(start.at, value.message);
  return { is: 'invalid', at: start.at };
}

class LiteralProblem {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

function valueOfToken({ kind, text }: Token, sign: string): LiteralValue | LiteralProblem {
  switch (kind) {
    case 'true':
    case 'false':
      return kind === 'true';
    case 'null':
      return null;
    case 'NUM_INT':
      return intOf(text, sign);
    case 'NUM_UINT':
      return uintOf(text.slice(0, -1));
    case 'NUM_FLOAT':
      return doubleOf(sign + text);
    case 'BYTES':
      return unescaped(() => unescapeBytes(text.slice(1)));
    default:
      return unescaped(() => unescapeString(text));
  }
}

function intOf(text: string, sign: string): LiteralValue | LiteralProblem {
  const magnitude = text.length > 40 ? maxUint64 : BigInt(text);
  const value = sign === '-' ? -magnitude : magnitude;
  return value > maxInt64 || value < minInt64 ? new LiteralProblem('invalid int literal') : normalInt(value);
}

function uintOf(text: string): LiteralValue | LiteralProblem {
  const value = text.length > 40 ? maxUint64 + 1n : BigInt(text);
  return value > maxUint64 ? new LiteralProblem('invalid uint literal') : new CelUint(value);
}

function doubleOf(text: string): LiteralValue | LiteralProblem {
  const value = Number(text);
  return Number.isFinite(value) ? new CelDouble(value) : new LiteralProblem('invalid double literal');
}

function unescaped(read: () => LiteralValue): LiteralValue | LiteralProblem {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnescapeError) return new LiteralProblem(error.message);
    throw error;
  }
}

/** Invalid escape sequence. */
class UnescapeError extends Error {
  override readonly name = 'UnescapeError';
}

const simple: { readonly [letter: string]: string } = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '`': '`',
  '?': '?',
};
const sequence = /\\(?:[xX]([0-9a-fA-F]{2})|(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))|([0-3][0-7]{2})|(.))/gs;

/** Decodes a quoted string literal. */
function unescapeString(literal: string): string {
  const { body, raw } = unquote(literal);
  return raw || !body.includes('\\') ? body : body.replace(sequence, stringEscape);
}

function stringEscape(_: string, byte?: string, short?: string, long?: string, octal?: string, letter?: string): string {
  if (letter !== undefined) return simple[letter] ?? fail('unable to unescape string');
  const point = octal === undefined ? Number.parseInt(byte ?? short ?? long ?? '', 16) : Number.parseInt(octal, 8);
  if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) fail('invalid unicode code point');
  return String.fromCodePoint(point);
}

/** Decodes a bytes literal without its `b`. Escapes are bytes; other characters are encoded as UTF-8. */
function unescapeBytes(literal: string): Uint8Array {
  const { body, raw } = unquote(literal);
  if (raw || !body.includes('\\')) return new Uint8Array(Buffer.from(body));
  const parts: Buffer[] = [];
  let last = 0;
  for (const match of body.matchAll(sequence)) {
    parts.push(Buffer.from(body.slice(last, match.index)), byteEscape(match));
    last = match.index + match[0].length;
  }
  return new Uint8Array(Buffer.concat([...parts, Buffer.from(body.slice(last))]));
}

function byteEscape([, byte, short, long, octal, letter]: RegExpExecArray): Buffer {
  if (short !== undefined || long !== undefined) fail('unable to unescape string');
  if (letter !== undefined) return Buffer.from(simple[letter] ?? fail('unable to unescape string'));
  return Buffer.from([octal === undefined ? Number.parseInt(byte ?? '', 16) : Number.parseInt(octal, 8)]);
}

function fail(message: string): never {
  throw new UnescapeError(message);
}

function unquote(literal: string): { body: string; raw: boolean } {
  const text = literal.replace(/\r\n?/g, '\n');
  const raw = text[0] === 'r' || text[0] === 'R';
  const quoted = raw ? text.slice(1) : text;
  const quotes = quoted.length >= 6 && /^("""|''')/.test(quoted) ? 3 : 1;
  return { body: quoted.slice(quotes, -quotes), raw };
}
