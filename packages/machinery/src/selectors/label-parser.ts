import { FieldErrors } from '../errors/field-errors.ts';
import { labelRequirement, validateKey } from './label-requirement.ts';
import { type LabelOperator, type LabelRequirement, SelectorSize, tooManyTerms } from './selector.ts';

const binaryOperators = new Map<SelectorToken['kind'], LabelOperator>([
  ['in', 'in'],
  ['notin', 'notin'],
  ['=', '='],
  ['==', '=='],
  ['!=', '!='],
  ['>', 'gt'],
  ['<', 'lt'],
]);

/** Parses the requirements of a selector, in order. Throws Error. */
export function parseRequirements(selector: string): LabelRequirement[] {
  return new RequirementParser(tokenize(selector)).parse();
}

class RequirementParser {
  readonly #tokens: readonly SelectorToken[];
  #at = 0;

  constructor(tokens: readonly SelectorToken[]) {
    this.#tokens = tokens;
  }

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    const size = new SelectorSize();
    if (this.#ahead().kind === 'end') return requirements;
    if (!this.#startsRequirement()) throw unexpected(this.#ahead(), "expected: !, identifier, or 'end of string'");
    for (;;) {
      const requirement = this.#requirement();
      size.add(requirement.values.length);
      requirements.push(requirement);
      const next = this.#next();
      if (next.kind === 'end') return requirements;
      if (next.kind !== ',') throw unexpected(next, "expected: ',' or 'end of string'");
      if (!this.#startsRequirement()) throw unexpected(this.#ahead(), "expected: identifier after ','");
    }
  }

  #requirement(): LabelRequirement {
    try {
      return this.#parseRequirement();
    } catch (error) {
      throw new Error(`unable to parse requirement: ${(error as Error).message}`);
    }
  }

  #parseRequirement(): LabelRequirement {
    const negated = this.#ahead().kind === '!';
    if (negated) this.#next();
    const key = this.#key();
    if (negated) return labelRequirement(key, '!', []);
    const { kind } = this.#ahead();
    if (kind === 'end' || kind === ',') return labelRequirement(key, 'exists', []);
    const operator = this.#operator();
    const values = operator === 'in' || operator === 'notin' ? this.#values() : [this.#value()];
    return labelRequirement(key, operator, values);
  }

  #key(): string {
    const token = this.#next();
    if (!isWord(token)) throw unexpected(token, 'expected: identifier');
    const errors = new FieldErrors();
    validateKey(token.text, undefined, errors);
    if (errors.length > 0) throw new Error(errors.toString());
    return token.text;
  }

  #operator(): LabelOperator {
    const token = this.#next();
    const operator = binaryOperators.get(token.kind);
    if (operator === undefined) throw unexpected(token, `expected: ${[...binaryOperators.values()].join(', ')}`);
    return operator;
  }

  #value(): string {
    const { kind } = this.#ahead();
    if (kind === 'end' || kind === ',') return '';
    const token = this.#next();
    if (!isWord(token)) throw unexpected(token, 'expected: identifier');
    return token.text;
  }

  /** The values in parentheses, sorted and unique. An empty place is the empty string. */
  #values(): readonly string[] {
    const open = this.#next();
    if (open.kind !== '(') throw new Error(`found '${open.text}' expected: '('`);
    const first = this.#ahead();
    if (first.kind !== ')' && first.kind !== ',' && !isWord(first)) throw unexpected(first, "expected: ',', ')' or identifier");
    const values = new Set<string>();
    if (first.kind === ')') values.add('');
    else this.#collectValues(values);
    this.#next();
    return [...values].sort();
  }

  #collectValues(values: Set<string>): void {
    for (;;) {
      const token = this.#next();
      const after = this.#ahead();
      if (isWord(token)) {
        values.add(token.text);
        if (after.kind === ')') return;
        if (after.kind !== ',') throw unexpected(after, "expected: ',' or ')'");
      } else if (token.kind === ',') {
        if (values.size === 0 || after.kind === ')' || after.kind === ',') values.add('');
        if (after.kind === ')') return;
      } else {
        throw unexpected(token, "expected: ',', or identifier");
      }
    }
  }

  #startsRequirement(): boolean {
    const token = this.#ahead();
    return token.kind === '!' || isWord(token);
  }

  #ahead(): SelectorToken {
    return this.#tokens[this.#at] ?? { kind: 'end', text: '' };
  }

  #next(): SelectorToken {
    const token = this.#ahead();
    this.#at++;
    return token;
  }
}

/** Operators are ordinary words where no operator is allowed. */
function isWord({ kind }: SelectorToken): boolean {
  return kind === 'word' || kind === 'in' || kind === 'notin';
}

function unexpected(token: SelectorToken, expected: string): Error {
  return new Error(`found '${token.text}', ${expected}`);
}

/** A token of a label selector: an operator, a parenthesis, a word, or the end. */
export interface SelectorToken {
  readonly kind: Symbol | 'word' | 'end';
  readonly text: string;
}

type Symbol = (typeof symbols)[number];

const symbols = [')', ',', '!', '==', '=', '>', 'in', '<', '!=', 'notin', '('] as const;
/** A NUL after a word or symbol ends it; anywhere else it ends the input. */
// regex: linear, sticky.
const pattern = /[ \t\r\n]*(?:(==|!=|[=!(),<>])|([^=!(),<> \t\r\n\0]+))\0?/y;
const keywords: ReadonlySet<string> = new Set(['in', 'notin']);

/** More than any selector within the limits has. */
const maxTokens = 40_000;

/** The last token is always `end`. Throws Error beyond the limit. */
function tokenize(text: string): readonly SelectorToken[] {
  const tokens: SelectorToken[] = [];
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
