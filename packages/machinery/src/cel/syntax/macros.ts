import { type Expr, type LiteralValue, operators } from './ast.ts';
import type { Issues } from './source.ts';

/** A parsed call that may be a macro. */
export interface MacroCall {
  readonly at: number;
  readonly function: string;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

/** The expansion of a macro, or a problem with its arguments. */
type MacroResult = Expr | MacroProblem;
export type Macro = (call: MacroCall) => MacroResult;
/** Macros by `macroKey`. */
export type MacroSet = ReadonlyMap<string, Macro>;

export class MacroProblem {
  readonly at: number;
  readonly message: string;
  constructor(at: number, message: string) {
    this.at = at;
    this.message = message;
  }
}

export function macroKey(name: string, args: number, receiver: boolean): string {
  return `${name}:${args}:${receiver}`;
}

/** Undefined if the call is not a macro. */
export function expandMacro(call: MacroCall, macros: MacroSet, issues: Issues): Expr | undefined {
  const macro = macros.get(macroKey(call.function, call.args.length, call.target !== undefined));
  if (macro === undefined) return undefined;
  const result = macro(call);
  if (!(result instanceof MacroProblem)) return result;
  issues.report(result.at, result.message);
  return { is: 'invalid', at: call.at };
}

/** Name of the accumulator variable; not a valid identifier in source. */
export const accumulatorName = '@result';
const formerAccumulatorName = '__result__';

/** Node constructors for expansions; all nodes are reported at the macro. */
export function partsAt(at: number) {
  const call = (name: string, ...args: Expr[]): Expr => ({ is: 'call', at, function: name, target: undefined, args });
  return {
    call,
    literal: (value: LiteralValue): Expr => ({ is: 'literal', at, value }),
    ident: (name: string): Expr => ({ is: 'ident', at, name }),
    accumulator: (): Expr => ({ is: 'ident', at, name: accumulatorName }),
    list: (...elements: Expr[]): Expr => ({ is: 'list', at, elements, optionals: new Set() }),
    map: (): Expr => ({ is: 'map', at, entries: [] }),
    memberCall: (name: string, target: Expr): Expr => ({ is: 'call', at, function: name, target, args: [] }),
    /** The step if the filter is true, else the unchanged accumulator. */
    filtered: (filter: Expr | undefined, step: Expr): Expr =>
      filter === undefined ? step : call(operators.conditional, filter, step, { is: 'ident', at, name: accumulatorName }),
  };
}

export interface Loop {
  readonly variables: readonly [string] | readonly [string, string];
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

export function loopOver({ at, target }: MacroCall, { variables, init, condition, step, result }: Loop): Expr {
  return {
    is: 'comprehension',
    at,
    range: target as Expr,
    variable: variables[0],
    variable2: variables[1],
    accumulator: accumulatorName,
    init,
    condition,
    step,
    result,
  };
}

/** The variable name given as an argument. */
export function variableOf(expr: Expr, otherwise: string): string | MacroProblem {
  if (expr.is !== 'ident') return new MacroProblem(expr.at, otherwise);
  if (expr.name === accumulatorName || expr.name === formerAccumulatorName) {
    return new MacroProblem(expr.at, 'iteration variable overwrites accumulator variable');
  }
  return expr.name;
}

export function twoVariablesOf(first: Expr, second: Expr): readonly [string, string] | MacroProblem {
  if (first.is !== 'ident') return new MacroProblem(first.at, 'argument must be a simple name');
  if (second.is !== 'ident') return new MacroProblem(second.at, 'argument must be a simple name');
  if (first.name === second.name) return new MacroProblem(second.at, `duplicate variable name: ${first.name}`);
  const one = variableOf(first, '');
  if (one instanceof MacroProblem) return one;
  const two = variableOf(second, '');
  return two instanceof MacroProblem ? two : [one, two];
}
