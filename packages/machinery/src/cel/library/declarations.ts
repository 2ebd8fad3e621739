import type { MacroSet } from '../syntax/macros.ts';
import { type CelType, typeTypeOf } from '../types/type.ts';
import type { CelValue } from '../values/value.ts';

/** One signature of a function and its implementation. */
export interface Overload {
  readonly id: string;
  /** Receiver style, `target.function(…)`; the target is the first argument. */
  readonly member: boolean;
  readonly args: readonly CelType[];
  readonly result: CelType;
  /** Absent for functions built into the planner. Arguments are never errors and have the types in `args`. */
  readonly call?: (...args: CelValue[]) => CelValue;
  /** Names of its type parameters. */
  readonly params: readonly string[];
}

export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
  /** All overloads share one implementation, which checks the argument types. */
  readonly operator?: boolean;
}

/** Declarations of one library. */
export interface CelLibrary {
  readonly functions?: readonly FunctionDeclaration[];
  readonly types?: readonly CelType[];
  readonly constants?: ReadonlyMap<string, { readonly type: CelType; readonly value: CelValue }>;
  readonly macros?: MacroSet;
}

export function declare(name: string, ...overloads: Overload[]): FunctionDeclaration {
  return { name, overloads };
}

/**
 * An implementation whose parameter types correspond to the `args` of its overload. The checker and the runtime dispatch guarantee
 * that it is called with values of these types.
 */
type OverloadCall = (...args: never[]) => CelValue;

/** A global function. */
export function globalOverload(id: string, args: readonly CelType[], result: CelType, call?: OverloadCall): Overload {
  return { id, member: false, args, result, call: call as Overload['call'], params: paramsOf([...args, result]) };
}

/** A receiver-style function. */
export function memberOverload(id: string, args: readonly CelType[], result: CelType, call?: OverloadCall): Overload {
  return { ...globalOverload(id, args, result, call), member: true };
}

function paramsOf(types: readonly CelType[]): string[] {
  const names = new Set<string>();
  const visit = (type: CelType): void => {
    if (type.kind === 'param') names.add(type.name);
    type.params.forEach(visit);
  };
  types.forEach(visit);
  return [...names];
}

export interface NameDeclaration {
  readonly name: string;
  readonly type: CelType;
  /** Value of a constant or type name. */
  readonly value?: CelValue;
  /** The type a type name refers to. */
  readonly names?: CelType;
}

/** Resolves names outside of comprehensions. */
export interface Names {
  ident(name: string): NameDeclaration | undefined;
  function(name: string): FunctionDeclaration | undefined;
}

export function typeNameDeclaration(type: CelType): NameDeclaration {
  return { name: type.name, type: typeTypeOf(type), names: type };
}

/** Merges the functions of several libraries; overloads of the same name are combined. */
export function mergeFunctions(libraries: readonly CelLibrary[]): Map<string, FunctionDeclaration> {
  const merged = new Map<string, FunctionDeclaration>();
  for (const declaration of libraries.flatMap(({ functions = [] }) => functions)) {
    const known = merged.get(declaration.name);
    const overloads = [...(known?.overloads ?? []), ...declaration.overloads];
    merged.set(declaration.name, { ...declaration, ...known, overloads });
  }
  return merged;
}
