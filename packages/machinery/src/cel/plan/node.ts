import { compilePattern } from '../library/regex.ts';
import { hashOf } from '../values/hash-map.ts';
import { goTypeName } from '../values/type-of.ts';
import { CelError, type CelList, type CelValue, isError } from '../values/value.ts';
import { type Attribute, addQualifier, type Qualifier, resolver } from './attribute.ts';
import type { Eval } from './evaluation.ts';

/** A constant part cannot be evaluated. */
export class PlanError extends Error {
  override readonly name = 'PlanError';
}

/** A planned node: a constant, an attribute that can still be qualified, or a closure. */
export type Node =
  | { readonly is: 'constant'; readonly value: CelValue }
  | { readonly is: 'attribute'; readonly attribute: Attribute; readonly tests: boolean }
  | { readonly is: 'eval'; readonly run: Eval };

export function toEval(node: Node): Eval {
  if (node.is === 'eval') return node.run;
  if (node.is === 'constant') return () => node.value;
  const resolve = resolver(node.attribute);
  if (node.tests) return testEval(resolve, node.attribute.root === 'conditional' ? -1 : 0);
  if (node.attribute.root === 'conditional') return resolve;
  return (evaluation) => {
    const value = resolve(evaluation);
    evaluation.charge(1);
    return value;
  };
}

/** `has()`: the qualifiers cost, the test itself does not. */
function testEval(resolve: Eval, cost: number): Eval {
  return (evaluation) => {
    const value = resolve(evaluation);
    evaluation.charge(cost);
    if (isError(value) || typeof value === 'boolean') return value;
    return typeof value === 'object' && value !== null && 'value' in value && value.value !== undefined;
  };
}

/** Converts a node to an attribute, so that qualifiers can be appended. */
export function toAttribute(node: Node): Attribute {
  if (node.is === 'attribute' && !node.tests) return node.attribute;
  return { root: 'value', value: toEval(node), qualifiers: [] };
}

/** The branches are attributes, so that a qualifier applies to either. */
export function conditional([condition, whenTrue, whenFalse]: readonly [Node, Node, Node]): Node {
  const branch = (node: Node): Attribute => toAttribute(node);
  const attribute: Attribute = {
    root: 'conditional',
    condition: toEval(condition),
    whenTrue: branch(whenTrue),
    whenFalse: branch(whenFalse),
  };
  return { is: 'attribute', attribute, tests: false };
}

export function indexed([operand, index]: readonly [Node, Node], optional: boolean): Node {
  const attribute = toAttribute(operand);
  addQualifier(attribute, indexQualifier(index, optional));
  return { is: 'attribute', attribute, tests: false };
}

function checkedKey(key: CelValue): CelValue {
  if (hashOf(key) === undefined) throw new PlanError(`invalid qualifier type: ${goTypeName(key)}`);
  return key;
}

/** An index that is an attribute is resolved without the base cost of an attribute. */
function indexQualifier(index: Node, optional: boolean): Qualifier {
  if (index.is === 'constant') return { constant: checkedKey(index.value), optional, testOnly: false };
  const read = index.is === 'attribute' && !index.tests ? resolver(index.attribute) : toEval(index);
  return { index: read, optional, testOnly: false };
}

/** Functions whose second argument is a regular expression. */
export const patternFunctions = new Set(['matches', 'find', 'findAll']);

export function folded(value: CelValue): Node {
  if (isError(value)) throw new PlanError(value.message);
  return { is: 'constant', value };
}

export function checkPattern(pattern: CelValue): void {
  const compiled = typeof pattern === 'string' ? compilePattern(pattern) : undefined;
  if (compiled instanceof CelError) throw new PlanError(compiled.message);
}

/** `x in ['a', 'b']` as a set lookup, at no cost. Undefined if an item is not hashable. */
export function setMembership(item: Node, list: CelList): Node | undefined {
  const members = new Set<unknown>();
  for (let i = 0; i < list.size; i++) {
    const member = list.at(i);
    const hash = hashOf(member);
    if (hash === undefined) return undefined;
    members.add(hash);
  }
  if (members.size === 0) return { is: 'constant', value: false };
  const read = toEval(item);
  const run: Eval = (evaluation) => {
    const value = read(evaluation);
    if (isError(value)) return value;
    return members.has(hashOf(value));
  };
  return { is: 'eval', run };
}
