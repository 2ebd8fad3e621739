import type { Expr } from './ast.ts';
import type { Issues } from './source.ts';

/** A call as it is written, before it is known whether it is a macro. */
export interface MacroCall {
  readonly at: number;
  readonly function: string;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

/** What a macro stands for, or what is wrong with its arguments. */
export type MacroResult = Expr | MacroProblem;
export type Macro = (call: MacroCall) => MacroResult;
/** By `macroKey`. */
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

/** Undefined if the call is no macro. */
export function expandMacro(call: MacroCall, macros: MacroSet, issues: Issues): Expr | undefined {
  const macro = macros.get(macroKey(call.function, call.args.length, call.target !== undefined));
  if (macro === undefined) return undefined;
  const result = macro(call);
  if (!(result instanceof MacroProblem)) return result;
  issues.report(result.at, result.message);
  return { is: 'invalid', at: call.at };
}
