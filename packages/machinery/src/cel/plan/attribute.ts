import { formatPlain } from '../values/convert.ts';
import { typeOfValue } from '../values/type-of.ts';
import {
  CelDouble,
  CelError,
  CelList,
  CelMap,
  CelOpaque,
  CelOptional,
  CelUint,
  type CelValue,
  noSuchOverload,
  optionalNone,
} from '../values/value.ts';
import type { Eval, Evaluation } from './evaluation.ts';

/** A field selection or index: constant, or computed by an expression. */
export interface Qualifier {
  readonly constant?: CelValue;
  readonly index?: Eval;
  readonly optional: boolean;
  /** `has()`: tests for presence. */
  readonly testOnly: boolean;
}

/** A root with its qualifiers, which are appended while the expression is planned. */
export type Attribute =
  | { readonly root: 'variable'; readonly slot: number; readonly name: string; readonly qualifiers: Qualifier[] }
  | { readonly root: 'value'; readonly value: Eval; readonly qualifiers: Qualifier[] }
  | { readonly root: 'conditional'; readonly condition: Eval; readonly whenTrue: Attribute; readonly whenFalse: Attribute };

export function addQualifier(attribute: Attribute, qualifier: Qualifier): void {
  if (attribute.root !== 'conditional') {
    attribute.qualifiers.push(qualifier);
    return;
  }
  addQualifier(attribute.whenTrue, qualifier);
  addQualifier(attribute.whenFalse, qualifier);
}

/** Resolves an attribute. Each qualifier costs 1; the root is charged by the caller. */
export function resolver(attribute: Attribute): Eval {
  if (attribute.root === 'conditional') return conditionalResolver(attribute);
  const root = attribute.root === 'variable' ? variable(attribute.slot, attribute.name) : attribute.value;
  const { qualifiers } = attribute;
  if (qualifiers.length === 0) return root;
  const plain = qualifiers.every(({ constant, optional, testOnly }) => typeof constant === 'string' && !optional && !testOnly);
  return plain ? pathResolver(root, qualifiers) : (evaluation) => applySteps(evaluation, root(evaluation), qualifiers);
}

function conditionalResolver({ condition, whenTrue, whenFalse }: Attribute & { root: 'conditional' }): Eval {
  const [yes, no] = [resolver(whenTrue), resolver(whenFalse)];
  return (evaluation) => {
    const chosen = condition(evaluation);
    if (chosen === true) return yes(evaluation);
    if (chosen === false) return no(evaluation);
    return chosen instanceof CelError ? chosen : noSuchOverload;
  };
}

function variable(slot: number, name: string): Eval {
  const missing = new CelError(`no such attribute(s): ${name}`);
  return ({ slots }) => {
    const value = slots[slot];
    if (typeof value !== 'function') return value === undefined ? missing : value;
    const computed = value();
    slots[slot] = computed;
    return computed;
  };
}

/** Fast path for `a.b.c`, the most common form. */
function pathResolver(root: Eval, qualifiers: readonly Qualifier[]): Eval {
  const path = qualifiers.map(({ constant }) => constant as string);
  return (evaluation) => {
    let value = root(evaluation);
    if (value instanceof CelOptional) return applySteps(evaluation, value, qualifiers);
    if (value instanceof CelError) return value;
    for (const name of path) {
      value = require(value, name);
      evaluation.charge(1);
      if (value instanceof CelError) return value;
    }
    return value;
  };
}

function applySteps(evaluation: Evaluation, root: CelValue, qualifiers: readonly Qualifier[]): CelValue {
  if (root instanceof CelError) return root;
  let value: CelValue = root;
  let optional = false;
  if (value instanceof CelOptional) {
    if (value.value === undefined) return value;
    value = value.value;
    optional = true;
  }
  for (const qualifier of qualifiers) {
    optional ||= qualifier.optional;
    const next = optional ? stepIfPresent(evaluation, value, qualifier) : step(evaluation, value, qualifier);
    if (next === undefined) return optionalNone;
    if (next instanceof CelError) return next;
    value = next;
  }
  return optional ? new CelOptional(value) : value;
}

function step(evaluation: Evaluation, value: CelValue, { constant, index, testOnly }: Qualifier): CelValue {
  const key = index === undefined ? (constant as CelValue) : index(evaluation);
  const next = key instanceof CelError ? key : testOnly ? isPresent(value, key) : require(value, key);
  evaluation.charge(1);
  return next;
}

function isPresent(value: CelValue, key: CelValue): CelValue {
  const found = lookUp(value, key);
  return found instanceof CelError ? found : found !== undefined;
}

/** A missing field costs nothing. */
function stepIfPresent(evaluation: Evaluation, value: CelValue, { constant, index }: Qualifier): CelValue | undefined {
  const key = index === undefined ? (constant as CelValue) : index(evaluation);
  if (key instanceof CelError) return key;
  const next = lookUp(value, key);
  if (next !== undefined && !(next instanceof CelError)) evaluation.charge(1);
  return next;
}

/** Looks up a key or index: undefined if absent, an error value if the lookup is invalid. */
export function lookUp(value: CelValue, key: CelValue): CelValue | undefined {
  if (value instanceof CelMap) return value.find(key);
  if (value instanceof CelList) return itemAt(value, key);
  if (value instanceof CelError) return value;
  if (value instanceof CelOpaque && typeof key === 'string') return value.field?.(key);
  return undefined;
}

/** Looks up a key or index; an error value if absent. */
export function require(value: CelValue, key: CelValue): CelValue {
  const found = lookUp(value, key);
  return found === undefined ? missing(value, key) : found;
}

function missing(value: CelValue, key: CelValue): CelError {
  const problem = value instanceof CelList ? 'index out of bounds' : 'no such key';
  return new CelError(`${problem}: ${formatPlain(key)}`);
}

function itemAt(list: CelList, key: CelValue): CelValue | undefined {
  const index = typeof key === 'number' ? key : indexOf(key);
  if (index instanceof CelError) return index;
  return index >= 0 && index < list.size ? list.at(index) : undefined;
}

function indexOf(key: CelValue): number | CelError {
  if (typeof key === 'bigint') return Number(key);
  if (key instanceof CelUint) return Number(key.value);
  if (key instanceof CelDouble) {
    return Number.isInteger(key.value) ? key.value : new CelError(`unsupported index value ${key.value} in list`);
  }
  return new CelError(`unsupported index type '${typeOfValue(key).name}' in list`);
}
