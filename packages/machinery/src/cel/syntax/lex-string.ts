/** Where a string literal ends, or where it stopped being one. */
export interface StringScan {
  readonly end: number | undefined;
  readonly failedAt: number;
}

const escapeSequence = /\\(?:[abfnrtv"'\\?`]|[0-3][0-7][0-7]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})/y;

/** The longest literal that begins here: three quotes if they close, or else one. */
export function scanString(source: string, at: number): StringScan {
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

/** The first character that no escape goes on with. */
function endOfBrokenEscape(source: string, at: number): number {
  const partial = /\\(?:[0-3][0-7]?|[xX][0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7})?/y;
  partial.lastIndex = at;
  return partial.test(source) ? partial.lastIndex : at;
}
