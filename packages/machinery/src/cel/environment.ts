import type { EnvironmentOptions } from './contract.ts';
import { baseLibraries } from './library/base.ts';
import {
  type CelLibrary,
  mergeFunctions,
  type NameDeclaration,
  type Names,
  typeNameDeclaration,
} from './library/declarations.ts';
import { mutationLibrary, mutationName } from './library/mutation.ts';
import type { Macro, MacroSet } from './syntax/macros.ts';

/** Names and macros available to an expression. */
export interface Environment extends Names {
  readonly macros: MacroSet;
}

interface Base {
  readonly functions: ReturnType<typeof mergeFunctions>;
  readonly names: ReadonlyMap<string, NameDeclaration>;
  readonly macros: MacroSet;
}

/** By Kubernetes version: one entry for each release with libraries of its own. */
const bases = new Map<string, Base>();
const newestVersion = '1.36';

function baseOf(version: string): Base {
  let base = bases.get(version);
  if (base === undefined) {
    base = makeBase(baseLibraries(version));
    bases.set(version, base);
  }
  return base;
}

function makeBase(libraries: readonly CelLibrary[]): Base {
  const types = libraries.flatMap(({ types: each = [] }) => each);
  const macros = libraries.flatMap(({ macros: each }) => [...(each ?? new Map<string, Macro>())]);
  return {
    functions: mergeFunctions(libraries),
    names: new Map(types.map((type) => [type.name, typeNameDeclaration(type)])),
    macros: new Map(macros),
  };
}

const mutationFunctions = mergeFunctions([mutationLibrary]);

/** Throws for versions before CEL support (1.23). */
export function createEnvironment(options: EnvironmentOptions = {}): Environment {
  const { functions, names, macros } = baseOf(options.version ?? newestVersion);
  const more = options.mutation ? mutationFunctions : undefined;
  const own = new Map<string, NameDeclaration>();
  for (const type of options.types ?? []) own.set(type.name, typeNameDeclaration(type));
  for (const [name, type] of Object.entries(options.variables ?? {})) own.set(name, { name, type });
  return {
    macros,
    ident: (name) => own.get(name) ?? names.get(name) ?? (more && mutationName(name)),
    function: (name) => functions.get(name) ?? more?.get(name),
  };
}
