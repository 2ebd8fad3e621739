import type { Issues } from './source.ts';
import { displayText, type Follow, follows, kindName, type Token, type TokenKind, tokenNames } from './tokens.ts';

/** The current rule failed; parsing continues in an outer one. */
export class ParseFailure extends Error {
  override readonly name = 'ParseFailure';
}

/** Parsing stops. */
export class ParseAbort extends Error {
  override readonly name = 'ParseAbort';
}

const maxReports = 100;
const maxRecoveries = 30;
const maxSkipped = 256;

/**
 * Token stream with ANTLR's error recovery, which determines cel-go's messages: an extra token is deleted, a missing one is
 * inserted, and otherwise tokens are skipped until one fits an active rule.
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

  /** Consumes the next token. */
  take(): Token {
    const token = this.peek();
    this.#recovering = false;
    if (token.kind !== '<EOF>') this.#position++;
    return token;
  }

  /** Enters a rule; `follow` is the set of tokens that may follow it. */
  enter(follow: Follow): void {
    this.#following.push(follow);
  }

  leave(): void {
    this.#following.pop();
  }

  /** Number of active rules. */
  get level(): number {
    return this.#following.length;
  }

  /** Consumes a required token. `after` are the tokens that may follow it, besides those that may follow the rule if `endsRule`. */
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

  /** Before an alternative: deletes one extra token; fails if nothing matches. */
  choose(expected: ReadonlySet<TokenKind>): void {
    if (expected.has(this.peek().kind)) return;
    if (!this.#dropUnwanted(expected)) throw this.mismatch(expected);
  }

  /** After a repetition: skips tokens that neither repeat nor continue it. */
  afterRepetition(expected: ReadonlySet<TokenKind>): void {
    const token = this.peek();
    if (expected.has(token.kind)) return;
    this.#report(token.at, `extraneous input ${displayText(token.text)} expecting ${tokenNames(expected)}`);
    this.#recovering = true;
    const wanted = new Set([...expected, ...this.#following.flatMap(({ tokens }) => [...tokens])]);
    while (!this.is('<EOF>') && !wanted.has(this.peek().kind)) this.#position++;
  }

  mismatch(expected: ReadonlySet<TokenKind>): ParseFailure {
    const token = this.peek();
    this.#report(token.at, `mismatched input ${displayText(token.text)} expecting ${tokenNames(expected)}`);
    this.#recovering = true;
    return new ParseFailure();
  }

  /** Fails because no alternative matches the tokens up to `offending`. */
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

  /** The text of the tokens with white space between them, without invalid text. */
  #textUpTo(offending: number): string {
    const tokens = this.#tokens.slice(this.#position, this.#position + offending + 1);
    const textOf = ({ kind, text }: Token) => (kind === '<EOF>' ? '' : text);
    return tokens.map((token, i) => this.#spaceBefore(tokens[i - 1], token) + textOf(token)).join('');
  }

  #spaceBefore(previous: Token | undefined, { at }: Token): string {
    const gap = previous === undefined ? '' : this.#issues.source.slice(previous.at + previous.text.length, at);
    return gap.trim() === '' ? gap : '';
  }

  /** After a failed rule: skips to a token that an active rule accepts. */
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
    this.#report(token.at, `extraneous input ${displayText(token.text)} expecting ${tokenNames(expected)}`);
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
