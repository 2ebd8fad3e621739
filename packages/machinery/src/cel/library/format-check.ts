import { type Call, checkedType, type Expr } from '../syntax/ast.ts';
import type { Issues } from '../syntax/source.ts';
import type { TypeKind } from '../types/type.ts';
import { type Clause, clauseProblem, clausesOf, FormatError } from './string-format.ts';

const text: readonly TypeKind[] = [
  ...(['string', 'bool', 'bytes', 'int', 'uint', 'double', 'duration', 'timestamp', 'list', 'map', 'type', 'null'] as const),
];
const allowed: { readonly [verb in Clause['verb']]: readonly TypeKind[] } = {
  s: text,
  d: ['int', 'uint'],
  f: ['double', 'string'],
  e: ['double', 'string'],
  b: ['bool', 'int', 'uint'],
  x: ['string', 'bytes', 'int', 'uint'],
  o: ['int', 'uint'],
};

/** Validates a constant format string against its arguments at compile time. */
export function checkFormatCall(call: Call, issues: Issues): undefined {
  const [list] = call.args;
  const { target } = call;
  if (call.function !== 'format' || target?.is !== 'literal' || list?.is !== 'list') return;
  try {
    const used = checkArguments(target.value as string, list.elements, issues);
    if (used !== undefined && list.elements.length > used) {
      const counts = `(expected ${used}, got ${list.elements.length})`;
      issues.report(call.at, `too many arguments supplied to string.format ${counts}`);
    }
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    issues.report(call.at, error.message);
  }
}

/** Number of arguments used by the format; undefined, and reported, if one does not fit. */
function checkArguments(format: string, args: readonly Expr[], issues: Issues): number | undefined {
  let used = 0;
  for (const part of clausesOf(format)) {
    if (typeof part === 'string') continue;
    const arg = args[used];
    if (arg === undefined) throw new FormatError(`index ${used} out of range`);
    used++;
    const { verb } = part();
    const wrong = verb === 's' ? wrongText(arg) : isAllowed(verb, arg) ? undefined : arg;
    if (wrong === undefined) continue;
    issues.report(wrong.at, `error during formatting: ${clauseProblem(verb, checkedType(wrong).name)}`);
    return undefined;
  }
  return used;
}

function isAllowed(verb: Clause['verb'], { type }: Expr): boolean {
  return type?.kind === 'dyn' || allowed[verb].includes(type?.kind as TypeKind);
}

/** Checks the elements of list and map literals. */
function wrongText(arg: Expr): Expr | undefined {
  if (!isAllowed('s', arg)) return arg;
  if (arg.is === 'list') return firstWrong(arg.elements);
  return arg.is === 'map' ? firstWrong(arg.entries.flatMap(({ key, value }) => [key, value])) : undefined;
}

function firstWrong(exprs: readonly Expr[]): Expr | undefined {
  for (const expr of exprs) {
    const wrong = wrongText(expr);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}
