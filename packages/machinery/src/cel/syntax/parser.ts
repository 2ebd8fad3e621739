import { type Expr, operators } from './ast.ts';
import { DepthCount } from './depth.ts';
import { lex } from './lexer.ts';
import { expandMacro, type MacroSet } from './macros.ts';
import { parseMember } from './parse-members.ts';
import { type Issues, nowhere } from './source.ts';
import { ParseAbort, ParseFailure, TokenStream } from './token-stream.ts';
import { follows, noTokens, startOfMember, startOfUnary } from './tokens.ts';

const maxCodePoints = 100_000;
type OperatorTable = { readonly [token: string]: string };
const relationOperators: OperatorTable = {
  '<': operators.less,
  '<=': operators.lessEquals,
  '>=': operators.greaterEquals,
  '>': operators.greater,
  '==': operators.equals,
  '!=': operators.notEquals,
  in: operators.in,
};
const factorOperators: OperatorTable = { '*': operators.multiply, '/': operators.divide, '%': operators.modulo };
const termOperators: OperatorTable = { '+': operators.add, '-': operators.subtract };

/** Parses an expression and expands macros. Problems are reported to `issues`; the tree must not be used then. */
export function parse(source: string, macros: MacroSet, issues: Issues): Expr {
  const size = source.length <= maxCodePoints ? source.length : [...source].length;
  if (size > maxCodePoints) {
    issues.report(nowhere, `expression code point size exceeds limit: size: ${size}, limit ${maxCodePoints}`);
    return { is: 'invalid', at: 0 };
  }
  return new Parser(source, macros, issues).parse();
}

/**
 * Recursive descent, one method per grammar rule. Rules nest deeply, so the methods call each other directly: every helper
 * between them would add a stack frame per level.
 */
export class Parser {
  readonly tokens: TokenStream;
  readonly issues: Issues;
  readonly depth: DepthCount;
  readonly #macros: MacroSet;

  constructor(source: string, macros: MacroSet, issues: Issues) {
    this.#macros = macros;
    this.issues = issues;
    const unknown: { at: number; text: string }[] = [];
    const tokens = lex(source, (at, text) => unknown.push({ at, text }));
    this.tokens = new TokenStream(tokens, issues);
    this.depth = new DepthCount(issues);
    for (const { at, text } of unknown.slice(0, 101)) {
      issues.report(at, `Syntax error: token recognition error at: '${text}'`);
    }
  }

  parse(): Expr {
    try {
      const expr = this.expr();
      if (!this.tokens.is('<EOF>')) this.#end();
      this.depth.checkTree(expr);
      return expr;
    } catch (error) {
      if (error instanceof ParseAbort) return { is: 'invalid', at: 0 };
      throw error;
    }
  }

  #end(): void {
    try {
      this.tokens.expect('<EOF>', noTokens, false);
    } catch (error) {
      if (!(error instanceof ParseFailure)) throw error;
    }
  }

  /** Recovers from a failed rule: parsing continues where an outer rule can. */
  failed(error: unknown, at: number, level: number): Expr {
    if (!(error instanceof ParseFailure)) throw error;
    this.tokens.recover(level);
    return { is: 'invalid', at };
  }

  expr(): Expr {
    const { level } = this.tokens;
    const { at: start } = this.tokens.peek();
    this.depth.enter('expr');
    try {
      this.tokens.enter(follows.condition);
      const condition = this.#or();
      this.tokens.leave();
      if (!this.tokens.is('?')) return condition;
      const { at } = this.tokens.take();
      this.tokens.enter(follows.whenTrue);
      const whenTrue = this.#or();
      this.tokens.leave();
      this.tokens.expect(':', startOfUnary, false);
      this.tokens.enter(follows.whenFalse);
      const whenFalse = this.expr();
      this.tokens.leave();
      return this.call(at, operators.conditional, undefined, [condition, whenTrue, whenFalse], true);
    } catch (error) {
      return this.failed(error, start, level);
    } finally {
      this.depth.leave('expr');
    }
  }

  #or(): Expr {
    const rest: LogicTerm[] = [];
    this.tokens.enter(follows.or);
    const first = this.#and();
    while (this.tokens.is('||')) rest.push({ at: this.tokens.take().at, expr: this.#and() });
    this.tokens.leave();
    return this.#logic(operators.logicalOr, first, rest);
  }

  #and(): Expr {
    const rest: LogicTerm[] = [];
    this.tokens.enter(follows.and);
    const first = this.#relation();
    while (this.tokens.is('&&')) rest.push({ at: this.tokens.take().at, expr: this.#relation() });
    this.tokens.leave();
    return this.#logic(operators.logicalAnd, first, rest);
  }

  #logic(operator: string, first: Expr, rest: readonly LogicTerm[]): Expr {
    if (rest.length === 0) return first;
    const expr = balanced(operator, first, rest);
    this.depth.note(expr, [first, ...rest.map((each) => each.expr)], false);
    return expr;
  }

  #relation(): Expr {
    this.depth.enter('relation');
    this.tokens.enter(follows.relation);
    let expr = this.#terms();
    let nested = 0;
    for (let op = this.#operator(relationOperators); op; op = this.#operator(relationOperators)) {
      nested = this.#nest('relation', nested);
      expr = this.call(op.at, op.name, undefined, [expr, this.#terms()], true);
      this.depth.leave('relation');
    }
    this.tokens.leave();
    this.depth.leave('relation', nested + 1);
    return expr;
  }

  #terms(): Expr {
    this.depth.enter('calc');
    this.tokens.enter(follows.calc);
    let expr = this.#factors();
    let nested = 0;
    for (let op = this.#operator(termOperators); op; op = this.#operator(termOperators)) {
      nested = this.#nest('calc', nested);
      expr = this.call(op.at, op.name, undefined, [expr, this.#factors()], true);
      this.depth.leave('calc');
    }
    this.tokens.leave();
    this.depth.leave('calc', nested + 1);
    return expr;
  }

  #factors(): Expr {
    let expr = this.#unary();
    let nested = 0;
    for (let op = this.#operator(factorOperators); op; op = this.#operator(factorOperators)) {
      nested = this.#nest('calc', nested);
      expr = this.call(op.at, op.name, undefined, [expr, this.#unary()], true);
      this.depth.leave('calc');
    }
    this.depth.leave('calc', nested);
    return expr;
  }

  /** Each operator nests its left operand one level deeper; its right operand is one level below. */
  #nest(rule: string, nested: number): number {
    this.depth.enter(rule);
    this.depth.enter(rule);
    return nested + 1;
  }

  #operator(known: OperatorTable): { at: number; name: string } | undefined {
    const { kind } = this.tokens.peek();
    const name = Object.hasOwn(known, kind) ? known[kind] : undefined;
    return name === undefined ? undefined : { at: this.tokens.take().at, name };
  }

  #unary(): Expr {
    const { level } = this.tokens;
    const { at } = this.tokens.peek();
    this.depth.enter('unary');
    try {
      this.tokens.choose(startOfUnary);
      const negations = this.#negations();
      this.tokens.enter(follows.unary);
      const member = parseMember(this);
      this.tokens.leave();
      return negations === undefined ? member : this.call(at, negations, undefined, [member], false);
    } catch (error) {
      return this.failed(error, at, level);
    } finally {
      this.depth.leave('unary');
    }
  }

  /** The unary operator before a member, if any; double negation cancels out. */
  #negations(): string | undefined {
    const token = this.tokens.is('!') ? '!' : '-';
    if (!this.tokens.is(token) || (token === '-' && this.#isNumber(1))) return undefined;
    if (token === '-' && !startOfMember.has(this.tokens.peek(1).kind)) throw this.tokens.noAlternative(1);
    let count = 0;
    for (; this.tokens.is(token); count++) this.tokens.take();
    if (token === '!') this.tokens.afterRepetition(startOfUnary);
    if (count % 2 === 0) return undefined;
    return token === '!' ? operators.logicalNot : operators.negate;
  }

  #isNumber(ahead: number): boolean {
    return this.tokens.is('NUM_INT', ahead) || this.tokens.is('NUM_FLOAT', ahead);
  }

  /** A call, or the expansion of a macro. */
  call(at: number, name: string, target: Expr | undefined, args: readonly Expr[], counts: boolean): Expr {
    const children = target === undefined ? args : [target, ...args];
    if (target !== undefined && (name === 'optMap' || name === 'optFlatMap')) this.depth.checkCopy(target);
    const expanded = expandMacro({ at, function: name, target, args }, this.#macros, this.issues);
    const expr: Expr = expanded ?? { is: 'call', at, function: name, target, args };
    this.depth.note(expr, children, counts);
    return expr;
  }
}

interface LogicTerm {
  /** Position of the operator. */
  readonly at: number;
  readonly expr: Expr;
}

/** Balances a chain of `&&` or `||` to limit the depth of the tree. */
function balanced(operator: string, first: Expr, rest: readonly LogicTerm[]): Expr {
  if (rest.length === 0) return first;
  const terms = [first, ...rest.map(({ expr }) => expr)];
  const build = (low: number, high: number): Expr => {
    const middle = Math.floor((low + high + 1) / 2);
    const left = middle === low ? (terms[middle] as Expr) : build(low, middle - 1);
    const right = middle === high ? (terms[middle + 1] as Expr) : build(middle + 1, high);
    return { is: 'call', at: rest[middle]?.at ?? 0, function: operator, target: undefined, args: [left, right] };
  };
  return build(0, rest.length - 1);
}
