import type { Issues } from './source.ts';
import { displayText, type Follow, follows, kindName, namesOf, type Token, type TokenKind } from './tokens.ts';

/** Parsing cannot go on within a rule; what it stands for is skipped. */
export class ParseFailure extends Error {
  override readonly name = 'ParseFailure';
}

/** Parsing is given up altogether. */
export class ParseAbort extends Error {
  override readonly name = 'ParseAbort';
}

const maxReports = 100;
const maxRecoveries = 30;
const maxSkipped = 256;

/**
 * The tokens, with recovery from errors as the parser generator of cel-go does it: a token too many is left out, a token
 * too few is made up, and otherwise tokens are skipped until one fits a rule that is under way.
 */
export class TokenStream {
  readonly #tokens: readonly Token[];
  readonly #issues: Issues;
  readonly #following: Follow[] = [follows.program];
  #position = 0;
  #recovering = false;
  #lastRecovery = -1;
  #reports = 0;
  #recoveries = 0;

  constructor(tokens: readonly Token[], issues: Issues) {
    this.#tokens = tokens;
    this.#issues = issues;
  }

  peek(ahead = 0): Token {
    return this.#tokens[Math.min(this.#position + ahead, this.#tokens.length - 1)] as Token;
  }

  is(kind: TokenKind, ahead = 0): boolean {
    return this.peek(ahead).kind === kind;
  }

  /** The next token, known to fit. */
  take(): Token {
    const token = this.peek();
    this.#recovering = false;
    if (token.kind !== '<EOF>') this.#position++;
    return token;
  }

  /** Before a rule is called: what may follow it. */
  enter(follow: Follow): void {
    this.#following.push(follow);
  }

  leave(): void {
    this.#following.pop();
  }

  /** How many rules are under way. */
  get level(): number {
    return this.#following.length;
  }

  /** The token that must come here; `after` are those that may come next, besides what may follow the rule if it ends here. */
  expect(kind: TokenKind, after: ReadonlySet<TokenKind>, endsRule: boolean): Token {
    if (this.is(kind)) return this.take();
    this.#countRecovery();
    const expected = new Set([kind]);
    if (this.#dropUnwanted(expected)) return this.take();
    const follow = endsRule ? this.#afterRule(after) : after;
    if (!follow.has(this.peek().kind)) throw this.mismatch(expected);
    this.#report(this.peek().at, `missing ${kindName(kind)} at ${displayText(this.peek().text)}`);
    this.#recovering = true;
    return { kind, text: `<missing ${kindName(kind)}>`, at: this.peek().at };
  }

  /** Before a choice: one token too many is left out; if nothing fits, the rule fails. */
  choose(expected: ReadonlySet<TokenKind>): void {
    if (expected.has(this.peek().kind)) return;
    if (!this.#dropUnwanted(expected)) throw this.mismatch(expected);
  }

  /** After something that may be repeated: what neither repeats it nor goes on is skipped. */
  afterRepetition(expected: ReadonlySet<TokenKind>): void {
    const token = this.peek();
    if (expected.has(token.kind)) return;
    this.#report(token.at, `extraneous input ${displayText(token.text)} expecting ${namesOf(expected)}`);
    this.#recovering = true;
    const wanted = new Set([...expected, ...this.#following.flatMap(({ tokens }) => [...tokens])]);
    while (!this.is('<EOF>') && !wanted.has(this.peek().kind)) this.#position++;
  }

  mismatch(expected: ReadonlySet<TokenKind>): ParseFailure {
    const token = this.peek();
    this.#report(token.at, `mismatched input ${displayText(token.text)} expecting ${namesOf(expected)}`);
    this.#recovering = true;
    return new ParseFailure();
  }

  /** No alternative goes on with the tokens from here to `offending`. */
  noAlternative(offending: number): ParseFailure {
    const token = this.peek(offending);
    const text = this.#textUpTo(offending);
    const reserved = /^.(true|false|null)$/.exec(text)?.[1];
    const message =
      reserved === undefined
        ? `no viable alternative at input ${displayText(text)}`
        : `mismatched input '${reserved}' expecting IDENTIFIER`;
    this.#report(token.at, message);
    this.#recovering = true;
    return new ParseFailure();
  }

  /** The tokens and the space between them; what is no token is left out. */
  #textUpTo(offending: number): string {
    const tokens = this.#tokens.slice(this.#position, this.#position + offending + 1);
    const textOf = ({ kind, text }: Token) => (kind === '<EOF>' ? '' : text);
    return tokens.map((token, i) => this.#spaceBefore(tokens[i - 1], token) + textOf(token)).join('');
  }

  #spaceBefore(previous: Token | undefined, { at }: Token): string {
    const gap = previous === undefined ? '' : this.#issues.source.slice(previous.at + previous.text.length, at);
    return gap.trim() === '' ? gap : '';
  }

  /** After a failure of the rule at a level: skips to what a rule under way can go on with. */
  recover(level: number): void {
    this.#following.length = level;
    this.#countRecovery();
    if (this.#lastRecovery === this.#position && !this.is('<EOF>')) this.#position++;
    this.#lastRecovery = this.#position;
    const wanted = new Set(this.#following.flatMap(({ tokens }) => [...tokens]));
    for (let skipped = 0; !this.is('<EOF>') && !wanted.has(this.peek().kind); skipped++) {
      if (skipped >= maxSkipped) this.#abort(`error recovery token lookahead limit exceeded: ${maxSkipped}`);
      this.#position++;
    }
  }

  #abort(message: string): never {
    this.#issues.report(-1, message);
    throw new ParseAbort();
  }

  #countRecovery(): void {
    if (this.#recoveries++ < maxRecoveries) return;
    this.#issues.report(this.peek().at, `Syntax error: error recovery attempt limit exceeded: ${maxRecoveries}`);
    throw new ParseAbort();
  }

  #dropUnwanted(expected: ReadonlySet<TokenKind>): boolean {
    if (!expected.has(this.peek(1).kind) || this.is('<EOF>')) return false;
    const token = this.peek();
    this.#report(token.at, `extraneous input ${displayText(token.text)} expecting ${namesOf(expected)}`);
    this.#position++;
    this.#recovering = false;
    return true;
  }

  #afterRule(after: ReadonlySet<TokenKind>): ReadonlySet<TokenKind> {
    const all = new Set(after);
    for (const { tokens, ends } of this.#following.toReversed()) {
      for (const kind of tokens) all.add(kind);
      if (!ends) break;
    }
    return all;
  }

  #report(at: number, message: string): void {
    if (!this.#recovering) this.reportSyntax(at, message);
  }

  reportSyntax(at: number, message: string): void {
    if (this.#reports++ < maxReports) {
      this.#issues.report(at, `Syntax error: ${message}`);
      return;
    }
    this.#issues.report(at, `Syntax error: More than ${maxReports} syntax errors`);
    throw new ParseAbort();
  }
}
