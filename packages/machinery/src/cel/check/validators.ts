import { checkFormatCall } from '../library/format-check.ts';
import { compilePattern } from '../library/regex.ts';
import { type Call, checkedType, type Expr, type MapExpr } from '../syntax/ast.ts';
import type { Issues } from '../syntax/source.ts';
import { type CelType, formatType, sameType } from '../types/type.ts';
import { conversions } from '../values/convert.ts';
import { CelError } from '../values/value.ts';

/** Validates constant arguments and element types at compile time. */
export function validateAst(expr: Expr, issues: Issues): void {
  for (const name of ['duration', 'timestamp', 'matches']) walk(expr, (each) => checkLiteral(each, name, issues));
  walk(expr, (each) => (each.is === 'call' && each.function === 'format' ? false : checkElements(each, issues)));
  walk(expr, (each) => (each.is === 'call' ? checkFormatCall(each, issues) : undefined));
}

function checkLiteral(expr: Expr, name: string, issues: Issues): undefined {
  if (expr.is !== 'call' || expr.function !== name) return;
  const [literal] = expr.args;
  if (literal?.is !== 'literal' || isValid(expr, literal.value as string)) return;
  issues.report(literal.at, `invalid ${name} argument`);
}

/** In `matches(text, pattern)` the text is validated as a pattern too, as in Kubernetes. */
function isValid(call: Call, value: string | number): boolean {
  if (call.function === 'matches') return !(compilePattern(value as string) instanceof CelError);
  return !(conversions[call.function]?.(value) instanceof CelError);
}

/** Lists must have elements of one type, maps keys of one type and values of one type. */
function checkElements(expr: Expr, issues: Issues): undefined {
  if (expr.is === 'map') checkEntries(expr, issues);
  if (expr.is !== 'list') return;
  let expected: CelType | undefined;
  for (const [i, element] of expr.elements.entries()) {
    const type = typeIn(element, expr.optionals.has(i));
    expected ??= type;
    if (sameType(expected, type)) continue;
    mismatch(element, expected, type, issues);
    return;
  }
}

function typeIn(expr: Expr, optional: boolean): CelType {
  const type = checkedType(expr);
  return optional ? (type.params[0] ?? type) : type;
}

function checkEntries({ entries }: MapExpr, issues: Issues): void {
  const [first, ...rest] = entries;
  if (first === undefined) return;
  const [keyType, valueType] = [typeIn(first.key, false), typeIn(first.value, first.optional)];
  for (const { key, value, optional } of rest) {
    if (!sameType(keyType, typeIn(key, false))) mismatch(key, keyType, typeIn(key, false), issues);
    const type = typeIn(value, optional);
    if (!sameType(valueType, type)) mismatch(value, valueType, type, issues);
  }
}

function mismatch(expr: Expr, expected: CelType, found: CelType, issues: Issues): void {
  issues.report(expr.at, `expected type '${formatType(expected)}' but found '${formatType(found)}'`);
}

/** Child nodes. */
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

/** Visits every node in pre-order. Skips the children of a node if `visit` returns false. */
export function walk(expr: Expr, visit: (expr: Expr) => boolean | undefined): void {
  if (visit(expr) === false) return;
  for (const child of childrenOf(expr)) walk(child, visit);
}
