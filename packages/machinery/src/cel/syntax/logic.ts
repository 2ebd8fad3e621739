import type { Expr } from './ast.ts';

export interface LogicTerm {
  /** Where its operator is. */
  readonly at: number;
  readonly expr: Expr;
}

/** `a && b && c && d` as a tree of small depth. */
export function balanced(operator: string, first: Expr, rest: readonly LogicTerm[]): Expr {
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
