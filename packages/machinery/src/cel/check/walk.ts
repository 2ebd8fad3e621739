import type { Expr } from '../syntax/ast.ts';

/** The parts of a node. */
export function childrenOf(expr: Expr): readonly Expr[] {
  switch (expr.is) {
    case 'select':
      return [expr.operand];
    case 'call':
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    case 'list':
      return expr.elements;
    case 'map':
      return expr.entries.flatMap(({ key, value }) => [key, value]);
    case 'struct':
      return expr.fields.map(({ value }) => value);
    case 'comprehension':
      return [expr.range, expr.init, expr.condition, expr.step, expr.result];
    default:
      return [];
  }
}

/** Every node, outermost first. Below a node for which `visit` says false nothing is visited. */
export function walk(expr: Expr, visit: (expr: Expr) => boolean | undefined): void {
  if (visit(expr) === false) return;
  for (const child of childrenOf(expr)) walk(child, visit);
}
