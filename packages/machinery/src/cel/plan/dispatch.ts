import type { FunctionDeclaration, Overload } from '../library/declarations.ts';
import type { CelType } from '../types/type.ts';
import { typeOfValue } from '../values/type-of.ts';
import {
  CelDouble,
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelOpaque,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
  isInt,
} from '../values/value.ts';

type Guard = (value: CelValue) => boolean;
export type Implementation = (...args: CelValue[]) => CelValue;

const guards: { readonly [kind: string]: Guard } = {
  bool: (value) => typeof value === 'boolean',
  bytes: (value) => value instanceof Uint8Array,
  double: (value) => value instanceof CelDouble,
  duration: (value) => value instanceof CelDuration,
  int: isInt,
  list: (value) => value instanceof CelList,
  map: (value) => value instanceof CelMap,
  null: (value) => value === null,
  string: (value) => typeof value === 'string',
  timestamp: (value) => value instanceof CelTimestamp,
  type: (value) => value instanceof CelTypeValue,
  uint: (value) => value instanceof CelUint,
};

const anything: Guard = () => true;

/** Checks the type of a value at run time. */
function guardOf({ kind, name, params }: CelType): Guard {
  if (kind === 'opaque') {
    if (name === 'optional_type') return (value) => value instanceof CelOptional;
    return (value) => value instanceof CelOpaque && value.type.name === name;
  }
  if (kind === 'object') return (value) => value instanceof CelOpaque && value.type.name === name;
  const guard = guards[kind] ?? anything;
  const inner = params.map(guardOf);
  if (inner.every((each) => each === anything)) return guard;
  return (value) => guard(value) && firstFits(value, inner);
}

/** Checks only the first element of a list or map. */
function firstFits(value: CelValue, guardsOfParts: readonly Guard[]): boolean {
  const [first = anything, second = anything] = guardsOfParts;
  if (value instanceof CelList) return value.size === 0 || first(value.at(0));
  if (!(value instanceof CelMap) || value.size === 0) return true;
  const key = value.keys()[0] as CelValue;
  return first(key) && second(value.find(key) as CelValue);
}

/** The implementation of a call: the overload chosen by the checker, or runtime dispatch between the candidates. */
export function implementationOf(declaration: FunctionDeclaration, ids: readonly string[]): Implementation | undefined {
  const chosen = declaration.overloads.filter(({ id }) => ids.includes(id));
  if (declaration.operator) return chosen[0]?.call;
  const candidates = (chosen.length === 1 ? chosen : declaration.overloads).filter(({ call }) => call !== undefined);
  if (candidates.length === 0) return undefined;
  return candidates.length === 1 ? guardedOnce(declaration, candidates[0] as Overload) : choosing(declaration, candidates);
}

/** Cached per overload and shared by all expressions; an overload belongs to one declaration. */
const guardedOverloads = new WeakMap<Overload, Implementation>();

function guardedOnce(declaration: FunctionDeclaration, overload: Overload): Implementation {
  let implementation = guardedOverloads.get(overload);
  if (implementation === undefined) {
    implementation = guarded(declaration, overload);
    guardedOverloads.set(overload, implementation);
  }
  return implementation;
}

function guarded({ name }: FunctionDeclaration, { args, call }: Overload): Implementation {
  const run = call as Implementation;
  const [first = anything, second = anything] = args.map(guardOf);
  if (args.length === 1) return (a) => (first(a as CelValue) ? run(a as CelValue) : noOverload(name, [a as CelValue]));
  if (args.length === 2) {
    return (a, b) =>
      first(a as CelValue) && second(b as CelValue)
        ? run(a as CelValue, b as CelValue)
        : noOverload(name, [a as CelValue, b as CelValue]);
  }
  const checks = args.map(guardOf);
  return (...values) => (checks.every((check, i) => check(values[i] as CelValue)) ? run(...values) : noOverload(name, values));
}

function choosing({ name }: FunctionDeclaration, overloads: readonly Overload[]): Implementation {
  const candidates = overloads.map(({ args, call }) => ({ checks: args.map(guardOf), run: call as Implementation }));
  return (...values) => {
    for (const { checks, run } of candidates) {
      const fits = checks.length === values.length && checks.every((check, i) => check(values[i] as CelValue));
      if (fits) return run(...values);
    }
    return noOverload(name, values);
  };
}

function noOverload(name: string, values: readonly CelValue[]): CelError {
  return new CelError(`no such overload: ${name}(${values.map((value) => typeOfValue(value).name).join(', ')})`);
}
