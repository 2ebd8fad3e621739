import { keywords, type Token, type TokenKind } from './tokens.ts';

/** Called with text that is not a token and is skipped. */
type ReportUnknown = (at: number, text: string) => void;

interface Scanned {
  readonly kind: TokenKind;
  readonly end: number;
}

const hidden = /(?:[\t \r\n\f]|\/\/[^\n]*(?:\n|$))+/y;
// regex: linear and sticky; digits that are not a float or uint are an int.
const float = /\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?/y;
// regex: linear, like float.
const uint = /0x[0-9a-fA-F]+[uU]|\d+[uU]/y;
const int = /0x[0-9a-fA-F]+|\d+/y;
const identifier = /[A-Za-z_][A-Za-z0-9_]*/y;
const escapedIdentifier = /`[A-Za-z0-9_./ -]+`/y;
const symbol = /==|!=|<=|>=|&&|\|\||[<>[\]{}().,\-!?:+*/%]/y;

export function lex(source: string, report: ReportUnknown): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (;;) {
    at = endOf(hidden, source, at) ?? at;
    if (at >= source.length) break;
    const scanned = scan(source, at);
    if (scanned === undefined) {
      const end = endOfUnknown(source, at);
      report(at, source.slice(at, end));
      at = end;
    } else {
      tokens.push({ kind: scanned.kind, text: source.slice(at, scanned.end), at });
      at = scanned.end;
    }
  }
  tokens.push({ kind: '<EOF>', text: '<EOF>', at: source.length });
  return tokens;
}

function endOf(pattern: RegExp, source: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(source) ? pattern.lastIndex : undefined;
}

function scan(source: string, at: number): Scanned | undefined {
  return scanText(source, at) ?? scanNumber(source, at) ?? scanWord(source, at) ?? scanSymbol(source, at);
}

/** Checked before identifiers, because string prefixes are letters too. */
function scanText(source: string, at: number): Scanned | undefined {
  const first = source[at] ?? '';
  if (!/["'bBrR]/.test(first)) return undefined;
  const bytes = first === 'b' || first === 'B';
  const { end } = scanString(source, bytes ? at + 1 : at);
  return end === undefined ? undefined : { kind: bytes ? 'BYTES' : 'STRING', end };
}

function scanNumber(source: string, at: number): Scanned | undefined {
  if (!/[0-9.]/.test(source[at] ?? '')) return undefined;
  for (const [kind, pattern] of [
    ['NUM_FLOAT', float],
    ['NUM_UINT', uint],
    ['NUM_INT', int],
  ] as const) {
    const end = endOf(pattern, source, at);
    if (end !== undefined) return { kind, end };
  }
  return undefined;
}

function scanWord(source: string, at: number): Scanned | undefined {
  const end = endOf(identifier, source, at);
  if (end !== undefined) {
    const word = source.slice(at, end);
    return { kind: keywords.has(word) ? (word as TokenKind) : 'IDENTIFIER', end };
  }
  const escapedEnd = endOf(escapedIdentifier, source, at);
  return escapedEnd === undefined ? undefined : { kind: 'ESC_IDENTIFIER', end: escapedEnd };
}

function scanSymbol(source: string, at: number): Scanned | undefined {
  const end = endOf(symbol, source, at);
  return end === undefined ? undefined : { kind: source.slice(at, end) as TokenKind, end };
}

/** The end of an invalid token, including the character that made it invalid. */
function endOfUnknown(source: string, at: number): number {
  const first = source[at] ?? '';
  let spoilt = at;
  if (first === '|' || first === '&' || first === '=') spoilt = at + 1;
  else if (first === '"' || first === "'") spoilt = scanString(source, at).failedAt;
  else if (first === '`') spoilt = endOf(/`[A-Za-z0-9_./ -]*/y, source, at) ?? at;
  if (spoilt >= source.length) return source.length;
  return spoilt + ((source.codePointAt(spoilt) ?? 0) > 0xffff ? 2 : 1);
}

/** End of a string literal, or the position where it is invalid. */
interface StringScan {
  readonly end: number | undefined;
  readonly failedAt: number;
}

const escapeSequence = /\\(?:[abfnrtv"'\\?`]|[0-3][0-7][0-7]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})/y;

/** Scans a string literal: triple-quoted if that closes, else single-quoted. */
function scanString(source: string, at: number): StringScan {
  const raw = source[at] === 'r' || source[at] === 'R';
  const open = raw ? at + 1 : at;
  const quote = source[open];
  if (quote !== '"' && quote !== "'") return { end: undefined, failedAt: at };
  if (source.startsWith(quote.repeat(3), open)) {
    const end = raw ? endOfRawBlock(source, open + 3, quote) : scanBody(source, open + 3, quote, 3).end;
    return { end: end ?? open + 2, failedAt: open };
  }
  return raw ? scanRawLine(source, open + 1, quote) : scanBody(source, open + 1, quote, 1);
}

function endOfRawBlock(source: string, at: number, quote: string): number | undefined {
  const close = source.indexOf(quote.repeat(3), at);
  return close < 0 ? undefined : close + 3;
}

function scanRawLine(source: string, start: number, quote: string): StringScan {
  for (let at = start; at < source.length; at++) {
    if (source[at] === quote) return { end: at + 1, failedAt: at };
    if (source[at] === '\n' || source[at] === '\r') return { end: undefined, failedAt: at };
  }
  return { end: undefined, failedAt: source.length };
}

function scanBody(source: string, start: number, quote: string, quotes: 1 | 3): StringScan {
  const close = quote.repeat(quotes);
  let at = start;
  while (at < source.length) {
    if (source.startsWith(close, at)) return { end: at + quotes, failedAt: at };
    const character = source[at];
    if (quotes === 1 && (character === '\n' || character === '\r')) return { end: undefined, failedAt: at };
    if (character === '\\') {
      escapeSequence.lastIndex = at;
      if (!escapeSequence.test(source)) return { end: undefined, failedAt: endOfBrokenEscape(source, at) };
      at = escapeSequence.lastIndex;
    } else {
      at++;
    }
  }
  return { end: undefined, failedAt: source.length };
}

/** The first character that is not part of a valid escape sequence. */
function endOfBrokenEscape(source: string, at: number): number {
  const partial = /\\(?:[0-3][0-7]?|[xX][0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7})?/y;
  partial.lastIndex = at;
  return partial.test(source) ? partial.lastIndex : at;
}
