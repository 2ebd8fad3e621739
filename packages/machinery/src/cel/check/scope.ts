import { type CelType, typeTypeOf } from '../types/type.ts';
import type { CelValue } from '../values/value.ts';
import type { FunctionDeclaration, Library } from './declarations.ts';

export interface Declared {
  readonly name: string;
  readonly type: CelType;
  /** The value of a constant, or of the name of a type. */
  readonly value?: CelValue;
  /** The type that the name means. */
  readonly names?: CelType;
}

/** What names mean to an expression as a whole. */
export interface Names {
  ident(name: string): Declared | undefined;
  function(name: string): FunctionDeclaration | undefined;
}

/** The variables of loops, innermost first. */
export class Scope {
  readonly #outer: Scope | undefined;
  readonly #variables = new Map<string, CelType>();

  constructor(outer?: Scope) {
    this.#outer = outer;
  }

  declare(name: string, type: CelType): this {
    this.#variables.set(name, type);
    return this;
  }

  find(name: string): CelType | undefined {
    return this.#variables.get(name) ?? this.#outer?.find(name);
  }
}

export function typeName(type: CelType): Declared {
  return { name: type.name, type: typeTypeOf(type), names: type };
}

/** The functions of several libraries; overloads of one name are put together. */
export function mergeFunctions(libraries: readonly Library[]): Map<string, FunctionDeclaration> {
  const merged = new Map<string, FunctionDeclaration>();
  for (const declaration of libraries.flatMap(({ functions = [] }) => functions)) {
    const known = merged.get(declaration.name);
    const overloads = [...(known?.overloads ?? []), ...declaration.overloads];
    merged.set(declaration.name, { ...declaration, ...known, overloads });
  }
  return merged;
}
