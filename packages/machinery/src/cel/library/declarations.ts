import type { MacroSet } from '../syntax/macros.ts';
import { type CelType, typeTypeOf } from '../types/type.ts';
import type { CelValue } from '../values/value.ts';

/** One signature of a function and what it does. */
export interface Overload {
  readonly id: string;
  /** Called as `target.function(…)`; the target is the first argument. */
  readonly member: boolean;
  readonly args: readonly CelType[];
  readonly result: CelType;
  /** Absent where the planner knows what to do. Arguments are never errors, and of the types that `args` says. */
  readonly call?: (...args: CelValue[]) => CelValue;
  /** The names of its type parameters. */
  readonly params: readonly string[];
}

export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
  /** All overloads are one function that looks at its arguments itself. */
  readonly operator?: boolean;
}

/** What a version of the environment adds. */
export interface CelLibrary {
  readonly functions?: readonly FunctionDeclaration[];
  readonly types?: readonly CelType[];
  readonly constants?: ReadonlyMap<string, { readonly type: CelType; readonly value: CelValue }>;
  readonly macros?: MacroSet;
}

export function declare(name: string, ...overloads: Overload[]): FunctionDeclaration {
  return { name, overloads };
}

/** A function that is called by its name. */
export function globalOverload(id: string, args: readonly CelType[], result: CelType, call?: Overload['call']): Overload {
  return { id, member: false, args, result, call, params: paramsOf([...args, result]) };
}

/** A function that is called on its first argument. */
export function memberOverload(id: string, args: readonly CelType[], result: CelType, call?: Overload['call']): Overload {
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
  /** The value of a constant, or of the name of a type. */
  readonly value?: CelValue;
  /** The type that the name means. */
  readonly names?: CelType;
}

/** What names mean to an expression as a whole. */
export interface Names {
  ident(name: string): NameDeclaration | undefined;
  function(name: string): FunctionDeclaration | undefined;
}

export function typeNameDeclaration(type: CelType): NameDeclaration {
  return { name: type.name, type: typeTypeOf(type), names: type };
}

/** The functions of several libraries; overloads of one name are put together. */
export function mergeFunctions(libraries: readonly CelLibrary[]): Map<string, FunctionDeclaration> {
  const merged = new Map<string, FunctionDeclaration>();
  for (const declaration of libraries.flatMap(({ functions = [] }) => functions)) {
    const known = merged.get(declaration.name);
    const overloads = [...(known?.overloads ?? []), ...declaration.overloads];
    merged.set(declaration.name, { ...declaration, ...known, overloads });
  }
  return merged;
}
