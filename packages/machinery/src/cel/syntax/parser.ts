import { type Entry, type Expr, type FieldInit, operators } from './ast.ts';
import { DepthCount } from './depth.ts';
import {
  follows,
  startOfArguments,
  startOfField,
  startOfFields,
  startOfList,
  startOfMap,
  startOfMember,
  startOfName,
  startOfOptional,
  startOfUnary,
} from './expectations.ts';
import { lex } from './lexer.ts';
import { readLiteral } from './literal.ts';
import { balanced, type LogicTerm } from './logic.ts';
import { expandMacro, type MacroSet } from './macros.ts';
import { type Issues, nowhere } from './source.ts';
import { ParseAbort, ParseFailure, TokenStream } from './token-stream.ts';
import { reservedWords, type Token, type TokenKind } from './tokens.ts';

const maxCodePoints = 100_000;
const none: ReadonlySet<TokenKind> = new Set();
const relationOperators: { readonly [token: string]: string } = {
  '<': operators.less,
  '<=': operators.lessEquals,
  '>=': operators.greaterEquals,
  '>': operators.greater,
  '==': operators.equals,
  '!=': operators.notEquals,
  in: operators.in,
};
const factorOperators: { readonly [token: string]: string } = {
  '*': operators.multiply,
  '/': operators.divide,
  '%': operators.modulo,
};
const termOperators: { readonly [token: string]: string } = { '+': operators.add, '-': operators.subtract };

/** The tree of an expression with its macros expanded. What is wrong with it is reported; the tree is then of no use. */
export function parse(source: string, macros: MacroSet, issues: Issues): Expr {
  const size = source.length <= maxCodePoints ? source.length : [...source].length;
  if (size > maxCodePoints) {
    issues.report(nowhere, `expression code point size exceeds limit: size: ${size}, limit ${maxCodePoints}`);
    return { is: 'invalid', at: 0 };
  }
  return new Parser(source, macros, issues).parse();
}

class Parser {
  readonly #macros: MacroSet;
  readonly #issues: Issues;
  readonly #tokens: TokenStream;
  readonly #depth: DepthCount;

  constructor(source: string, macros: MacroSet, issues: Issues) {
    this.#macros = macros;
    this.#issues = issues;
    const unknown: { at: number; text: string }[] = [];
    const tokens = lex(source, (at, text) => unknown.push({ at, text }));
    this.#tokens = new TokenStream(tokens, issues);
    this.#depth = new DepthCount(issues);
    for (const { at, text } of unknown.slice(0, 101)) issues.report(at, `Syntax error: token recognition error at: '${text}'`);
  }

  parse(): Expr {
    try {
      const expr = this.#expr();
      if (!this.#tokens.is('<EOF>')) this.#end();
      this.#depth.checkTree(expr);
      return expr;
    } catch (error) {
      if (error instanceof ParseAbort) return { is: 'invalid', at: 0 };
      throw error;
    }
  }

  #end(): void {
    try {
      this.#tokens.expect('<EOF>', none, false);
    } catch (error) {
      if (!(error instanceof ParseFailure)) throw error;
    }
  }

  /** A rule that fails stands for nothing; parsing goes on where an outer rule can. */
  #rule(name: string, at: number, parse: () => Expr): Expr {
    this.#depth.enter(name);
    try {
      return parse();
    } catch (error) {
      if (!(error instanceof ParseFailure)) throw error;
      this.#tokens.recover();
      return { is: 'invalid', at };
    } finally {
      this.#depth.leave(name);
    }
  }

  #expr(): Expr {
    return this.#rule('expr', this.#tokens.peek().at, () => {
      const condition = this.#tokens.within(follows.condition, () => this.#or());
      if (!this.#tokens.is('?')) return condition;
      const { at } = this.#tokens.take();
      const whenTrue = this.#tokens.within(follows.whenTrue, () => this.#or());
      this.#tokens.expect(':', startOfUnary, false);
      const whenFalse = this.#tokens.within(follows.whenFalse, () => this.#expr());
      return this.#call(at, operators.conditional, undefined, [condition, whenTrue, whenFalse], true);
    });
  }

  #or(): Expr {
    const term = () => this.#tokens.within(follows.or, () => this.#and());
    return this.#rule('or', this.#tokens.peek().at, () => this.#logic('||', operators.logicalOr, term));
  }

  #and(): Expr {
    const term = () => this.#tokens.within(follows.and, () => this.#relation());
    return this.#rule('and', this.#tokens.peek().at, () => this.#logic('&&', operators.logicalAnd, term));
  }

  #logic(token: '||' | '&&', operator: string, term: () => Expr): Expr {
    const first = term();
    const rest: LogicTerm[] = [];
    while (this.#tokens.is(token)) rest.push({ at: this.#tokens.take().at, expr: term() });
    const expr = balanced(operator, first, rest);
    this.#depth.note(expr, [first, ...rest.map((each) => each.expr)], false);
    return expr;
  }

  #relation(): Expr {
    const operand = () => this.#tokens.within(follows.relation, () => this.#terms());
    return this.#rule('relation', this.#tokens.peek().at, () => this.#leftToRight('relation', relationOperators, operand));
  }

  #terms(): Expr {
    return this.#rule('calc', this.#tokens.peek().at, () => this.#leftToRight('calc', termOperators, () => this.#factors()));
  }

  #factors(): Expr {
    const operand = () => this.#tokens.within(follows.calc, () => this.#unary());
    return this.#leftToRight('calc', factorOperators, operand);
  }

  /** Each operator nests what is on its left by one more. */
  #leftToRight(rule: string, known: { readonly [token: string]: string }, operand: () => Expr): Expr {
    let expr = operand();
    let nested = 0;
    for (;;) {
      const { kind } = this.#tokens.peek();
      if (!Object.hasOwn(known, kind)) break;
      const { at } = this.#tokens.take();
      this.#depth.enter(rule);
      nested++;
      this.#depth.enter(rule);
      const right = operand();
      this.#depth.leave(rule);
      expr = this.#call(at, known[kind] as string, undefined, [expr, right], true);
    }
    for (; nested > 0; nested--) this.#depth.leave(rule);
    return expr;
  }

  #unary(): Expr {
    return this.#rule('unary', this.#tokens.peek().at, () => {
      this.#tokens.choose(startOfUnary);
      if (this.#tokens.is('!')) return this.#negated('!', operators.logicalNot);
      if (!this.#tokens.is('-') || this.#isNumber(1)) return this.#tokens.within(follows.unary, () => this.#member());
      if (!startOfMember.has(this.#tokens.peek(1).kind)) throw this.#tokens.noAlternative(1);
      return this.#negated('-', operators.negate);
    });
  }

  #isNumber(ahead: number): boolean {
    return this.#tokens.is('NUM_INT', ahead) || this.#tokens.is('NUM_FLOAT', ahead);
  }

  /** Two negations are none. */
  #negated(token: '!' | '-', operator: string): Expr {
    const { at } = this.#tokens.peek();
    let count = 0;
    while (this.#tokens.is(token) && (token === '!' || count === 0 || !this.#isNumber(1) || this.#tokens.is('-'))) {
      this.#tokens.take();
      count++;
    }
    if (token === '!') this.#tokens.afterRepetition(startOfUnary);
    const member = this.#tokens.within(follows.unary, () => this.#member());
    return count % 2 === 0 ? member : this.#call(at, operator, undefined, [member], false);
  }

  #member(): Expr {
    return this.#rule('member', this.#tokens.peek().at, () => {
      let expr = this.#tokens.within(follows.member, () => this.#primary());
      let nested = 0;
      while (this.#tokens.is('.') || this.#tokens.is('[')) {
        this.#depth.enter('member');
        nested++;
        expr = this.#tokens.is('.') ? this.#selection(expr) : this.#index(expr);
      }
      for (; nested > 0; nested--) this.#depth.leave('member');
      return expr;
    });
  }

  #selection(operand: Expr): Expr {
    const optional = this.#tokens.is('?', 1);
    if (!optional && !startOfName.has(this.#tokens.peek(1).kind)) throw this.#tokens.noAlternative(1);
    const { at } = this.#tokens.take();
    if (optional) this.#tokens.take();
    if (!optional && this.#tokens.is('IDENTIFIER') && this.#tokens.is('(', 1)) return this.#memberCall(operand);
    const name = this.#fieldName();
    const field: Expr = { is: 'literal', at: name.at, value: name.text };
    if (optional)
      return this.#noted({ is: 'call', at, function: operators.optionalSelect, target: undefined, args: [operand, field] }, [
        operand,
      ]);
    return this.#noted({ is: 'select', at, operand, field: name.text, testOnly: false }, [operand]);
  }

  /** What is no name is left out, and complained about once more. */
  #fieldName(): Pick<Token, 'text' | 'at'> {
    const { at } = this.#tokens.peek();
    try {
      this.#tokens.choose(startOfName);
    } catch (error) {
      if (!(error instanceof ParseFailure)) throw error;
      this.#tokens.recover();
      this.#issues.report(at, 'unsupported ident kind');
      return { text: '', at };
    }
    const name = this.#tokens.take();
    if (name.kind === 'ESC_IDENTIFIER') this.#issues.report(name.at, "unsupported syntax: '`'");
    return name;
  }

  #memberCall(target: Expr): Expr {
    const name = this.#tokens.take();
    const { at } = this.#tokens.take();
    const args = this.#arguments();
    return this.#call(at, name.text, target, args, true);
  }

  #arguments(): Expr[] {
    const args: Expr[] = [];
    this.#tokens.choose(startOfArguments);
    if (!this.#tokens.is(')')) this.#tokens.within(follows.arguments, () => this.#items(() => args.push(this.#expr())));
    this.#tokens.expect(')', none, true);
    return args;
  }

  #items(item: () => void): void {
    this.#tokens.within(follows.item, item);
    while (this.#tokens.is(',')) {
      this.#tokens.take();
      this.#tokens.within(follows.item, item);
    }
  }

  #index(operand: Expr): Expr {
    const { at } = this.#tokens.take();
    this.#tokens.choose(startOfOptional);
    const optional = this.#tokens.is('?');
    if (optional) this.#tokens.take();
    const index = this.#tokens.within(follows.index, () => this.#expr());
    this.#tokens.expect(']', none, true);
    return this.#call(at, optional ? operators.optionalIndex : operators.index, undefined, [operand, index], true);
  }

  #primary(): Expr {
    return this.#rule('primary', this.#tokens.peek().at, () => {
      this.#tokens.choose(startOfMember);
      switch (this.#tokens.peek().kind) {
        case '(':
          return this.#nested();
        case '[':
          return this.#list();
        case '{':
          return this.#map();
        case '.':
        case 'IDENTIFIER':
          return this.#named();
        default:
          return readLiteral(this.#tokens, this.#issues);
      }
    });
  }

  #nested(): Expr {
    this.#tokens.take();
    const expr = this.#tokens.within(follows.arguments, () => this.#expr());
    this.#tokens.expect(')', none, true);
    return expr;
  }

  /** A variable, a call of a function, or the construction of an object. */
  #named(): Expr {
    const dotted = this.#tokens.is('.');
    if (dotted && !this.#tokens.is('IDENTIFIER', 1)) throw this.#tokens.noAlternative(1);
    const start = this.#tokens.peek();
    const length = this.#messageNameLength(dotted ? 1 : 0);
    if (length > 0) return this.#message(length);
    if (dotted) this.#tokens.take();
    const name = this.#tokens.take();
    const call = this.#tokens.is('(');
    if (reservedWords.has(name.text)) this.#issues.report(start.at, `reserved identifier: ${name.text}`);
    const full = dotted ? `.${name.text}` : name.text;
    if (!call) return { is: 'ident', at: name.at, name: full };
    const { at } = this.#tokens.take();
    const args = this.#arguments();
    return this.#call(at, full, undefined, args, false);
  }

  /** How many tokens of a name come before `{`; zero if none does. */
  #messageNameLength(start: number): number {
    let length = start + 1;
    while (this.#tokens.is('.', length) && this.#tokens.is('IDENTIFIER', length + 1)) length += 2;
    return this.#tokens.is('{', length) ? length : 0;
  }

  #message(length: number): Expr {
    let typeName = '';
    for (let i = 0; i < length; i++) typeName += this.#tokens.take().text;
    const { at } = this.#tokens.take();
    const fields: FieldInit[] = [];
    this.#tokens.choose(startOfFields);
    if (startOfField.has(this.#tokens.peek().kind)) {
      this.#tokens.within(follows.mapEntries, () => this.#entries(startOfField, () => fields.push(this.#field())));
    }
    this.#close('}');
    const expr: Expr = { is: 'struct', at, typeName, fields };
    this.#depth.note(
      expr,
      fields.map(({ value }) => value),
      false,
    );
    return expr;
  }

  #field(): FieldInit {
    const optional = this.#optionalMark(startOfField);
    this.#tokens.choose(startOfName);
    const name = this.#tokens.take();
    if (name.kind === 'ESC_IDENTIFIER') this.#issues.report(name.at, "unsupported syntax: '`'");
    const { at } = this.#tokens.expect(':', startOfUnary, false);
    const value = this.#tokens.within(follows.item, () => this.#expr());
    return { at, name: name.text, value, optional };
  }

  #optionalMark(expected: ReadonlySet<TokenKind>): boolean {
    this.#tokens.choose(expected);
    if (!this.#tokens.is('?')) return false;
    this.#tokens.take();
    return true;
  }

  /** Items with commas between them; one at the end is left to the caller. */
  #entries(starts: ReadonlySet<TokenKind>, entry: () => void): void {
    try {
      entry();
      while (this.#tokens.is(',') && starts.has(this.#tokens.peek(1).kind)) {
        this.#tokens.take();
        entry();
      }
    } catch (error) {
      if (!(error instanceof ParseFailure)) throw error;
      this.#tokens.recover();
    }
  }

  #close(kind: '}' | ']'): void {
    this.#tokens.choose(new Set<TokenKind>([',', kind]));
    if (this.#tokens.is(',')) this.#tokens.take();
    this.#tokens.expect(kind, none, true);
  }

  #list(): Expr {
    const { at } = this.#tokens.take();
    const elements: Expr[] = [];
    const optionals = new Set<number>();
    this.#tokens.choose(startOfList);
    if (startOfOptional.has(this.#tokens.peek().kind)) {
      this.#tokens.within(follows.listElements, () =>
        this.#entries(startOfOptional, () => {
          if (this.#optionalMark(startOfOptional)) optionals.add(elements.length);
          elements.push(this.#tokens.within(follows.item, () => this.#expr()));
        }),
      );
    }
    this.#close(']');
    const expr: Expr = { is: 'list', at, elements, optionals };
    this.#depth.note(expr, elements, false);
    return expr;
  }

  #map(): Expr {
    const { at } = this.#tokens.take();
    const entries: Entry[] = [];
    this.#tokens.choose(startOfMap);
    if (startOfOptional.has(this.#tokens.peek().kind)) {
      this.#tokens.within(follows.mapEntries, () => this.#entries(startOfOptional, () => entries.push(this.#entry())));
    }
    this.#close('}');
    const expr: Expr = { is: 'map', at, entries };
    this.#depth.note(
      expr,
      entries.flatMap(({ key, value }) => [key, value]),
      false,
    );
    return expr;
  }

  #entry(): Entry {
    const optional = this.#optionalMark(startOfOptional);
    const key = this.#tokens.within(follows.key, () => this.#expr());
    const { at } = this.#tokens.expect(':', startOfUnary, false);
    const value = this.#tokens.within(follows.item, () => this.#expr());
    return { at, key, value, optional };
  }

  #call(at: number, name: string, target: Expr | undefined, args: readonly Expr[], counts: boolean): Expr {
    const children = target === undefined ? args : [target, ...args];
    if (target !== undefined && (name === 'optMap' || name === 'optFlatMap')) this.#depth.checkCopy(target);
    const expanded = expandMacro({ at, function: name, target, args }, this.#macros, this.#issues);
    return this.#noted(expanded ?? { is: 'call', at, function: name, target, args }, children, counts);
  }

  #noted(expr: Expr, children: readonly Expr[], counts = true): Expr {
    this.#depth.note(expr, children, counts);
    return expr;
  }
}
