import type { FunctionDeclaration, Overload } from '../library/declarations.ts';
import { type Call, checkedType, type Expr, operators } from '../syntax/ast.ts';
import type { Issues } from '../syntax/source.ts';
import { boolType, type CelType, dynType, formatType, isDyn, sameType } from '../types/type.ts';
import type { Substitutions } from './unify.ts';

/** A call of a known function whose overload is to be resolved. */
export interface Resolution {
  readonly call: Call;
  readonly declaration: FunctionDeclaration;
  /** The arguments, with the target first. */
  readonly args: readonly Expr[];
  readonly substitutions: Substitutions;
  readonly issues: Issues;
  readonly freshType: () => CelType;
}

/** Returns the type of the call and stores the matching overloads in it. Undefined, and reported, if none matches. */
export function resolveOverload(resolution: Resolution): CelType | undefined {
  const { call, declaration } = resolution;
  const isLogic = declaration.name === operators.logicalAnd || declaration.name === operators.logicalOr;
  if (isLogic) return resolveLogic(resolution);
  const matching: string[] = [];
  let result: CelType | undefined;
  for (const overload of declaration.overloads) {
    const type = overload.member === (call.target !== undefined) ? matchOverload(overload, resolution) : undefined;
    if (type === undefined) continue;
    matching.push(overload.id);
    if (result === undefined) result = type;
    else if (!isDyn(result) && !sameType(type, result)) result = dynType;
  }
  call.overloads = matching;
  if (result === undefined) reportNoOverload(resolution);
  return result;
}

/** `&&` and `||` report each operand that is not a bool. */
function resolveLogic({ call, declaration, args, substitutions, issues }: Resolution): CelType | undefined {
  call.overloads = declaration.overloads.map(({ id }) => id);
  const wrong = args.filter((arg) => !substitutions.assign([checkedType(arg)], [boolType]));
  for (const arg of wrong) issues.report(arg.at, `expected type 'bool' but found '${formatType(checkedType(arg))}'`);
  return wrong.length === 0 ? boolType : undefined;
}

function matchOverload(overload: Overload, { args, substitutions, freshType }: Resolution): CelType | undefined {
  if (overload.args.length !== args.length) return undefined;
  const fresh = new Map(overload.params.map((name) => [name, freshType()]));
  const found = args.map(checkedType);
  const wanted = overload.args.map((type) => instantiate(type, fresh));
  if (!substitutions.assign(found, wanted)) return undefined;
  return substitutions.apply(instantiate(overload.result, fresh), false);
}

function instantiate(type: CelType, fresh: ReadonlyMap<string, CelType>): CelType {
  if (fresh.size === 0) return type;
  if (type.kind === 'param') return fresh.get(type.name) ?? type;
  return type.params.length === 0 ? type : { ...type, params: type.params.map((param) => instantiate(param, fresh)) };
}

function reportNoOverload({ call, declaration, args, substitutions, issues }: Resolution): void {
  const types = args.map((arg) => formatType(substitutions.apply(checkedType(arg), true)));
  const target = call.target === undefined ? '' : `${types.shift()}.`;
  const signature = `${target}(${types.join(', ')})`;
  issues.report(call.at, `found no matching overload for '${declaration.name}' applied to '${signature}'`);
}
