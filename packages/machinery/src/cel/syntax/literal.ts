import { maxInt64, maxUint64, minInt64, normalInt } from '../values/integer.ts';
import { CelDouble, CelUint } from '../values/value.ts';
import type { Expr, LiteralValue } from './ast.ts';
import type { Issues } from './source.ts';
import type { TokenStream } from './token-stream.ts';
import type { Token } from './tokens.ts';
import { UnescapeError, unescapeBytes, unescapeString } from './unescape.ts';

const numbersAfterSign = ['NUM_INT', 'NUM_FLOAT'];

/** A number with its sign, a string, bytes, or a word. */
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
