import { tooManyTerms } from './limits.ts';

/** A piece of the text of a label selector: an operator, a bracket, a word, or the end. */
export interface Token {
  readonly kind: Symbol | 'word' | 'end';
  readonly text: string;
}

type Symbol = (typeof symbols)[number];

const symbols = [')', ',', '!', '==', '=', '>', 'in', '<', '!=', 'notin', '('] as const;
/** A NUL ends a word or symbol that it follows, and the whole text anywhere else. */
// regex: linear, matching ends where it fails.
const pattern = /[ \t\r\n]*(?:(==|!=|[=!(),<>])|([^=!(),<> \t\r\n\0]+))\0?/y;
const keywords: ReadonlySet<string> = new Set(['in', 'notin']);

/** More than the largest selector that is accepted can have. */
const maxTokens = 40_000;

/** The last token is always the end. Fails with an Error if there are too many. */
export function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    if (tokens.length >= maxTokens) throw tooManyTerms();
    const [, symbol, word = ''] = match;
    if (symbol !== undefined) tokens.push({ kind: symbol as Symbol, text: symbol });
    else tokens.push({ kind: keywords.has(word) ? (word as Symbol) : 'word', text: word });
  }
  tokens.push({ kind: 'end', text: '' });
  return tokens;
}
