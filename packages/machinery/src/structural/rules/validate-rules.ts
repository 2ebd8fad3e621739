import { runtimeCostBudget } from '../../cel/contract.ts';
import type { FieldErrorReason, FieldErrors } from '../../errors/field-errors.ts';
import { type FieldPath, path } from '../../errors/field-path.ts';
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts';
import type { SchemaNode } from '../schema/schema-node.ts';
import type { Effort } from '../values/budget.ts';
import { Correlation, MapItems } from '../values/correlation.ts';
import { RuleRun } from './rule-run.ts';

const blocking: ReadonlySet<FieldErrorReason> = new Set<FieldErrorReason>([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

/** Evaluates the rules of an object, unless its errors make that meaningless. Returns warnings. */
export function validateRulesOf(
  root: SchemaNode,
  object: JsonObject,
  old: JsonObject | undefined,
  errors: FieldErrors,
  effort?: Effort,
): readonly string[] {
  if (errors.list.some(({ reason }) => blocking.has(reason))) {
    errors.invalid(
      undefined,
      null,
      'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    );
    return [];
  }
  const run = new RuleRun(errors, effort?.ruleCost ?? runtimeCostBudget);
  const correlation = old && new Correlation(object, old, root);
  validateValue(root, object, old, { at: undefined, current: correlation, nearest: undefined, root: true }, run);
  if (effort && run.isSpent) throw effort.exceeded();
  return run.warnings;
}

/** Evaluates the rules of a default value. False if the budget is exhausted. */
export function validateRulesOfValue(
  node: SchemaNode,
  value: JsonValue,
  old: JsonValue | undefined,
  place: { readonly at: FieldPath; readonly root: boolean },
  run: RuleRun,
): void {
  validateValue(node, value, old, { ...place, current: undefined, nearest: undefined }, run);
}

/** The path of a value and the old value it replaces. */
export interface ValuePosition {
  readonly at: FieldPath | undefined;
  readonly current: Correlation | undefined;
  /** The nearest enclosing value that has an old counterpart. */
  readonly nearest: Correlation | undefined;
  readonly root: boolean;
}

function validateValue(node: SchemaNode, value: JsonValue, old: JsonValue | undefined, place: ValuePosition, run: RuleRun): void {
  if (!node.within.rules || value === null || run.isSpent) return;
  if (node.rules.length > 0) run.evaluate(node, value, old ?? undefined, place);
  if (run.isSpent) return;
  if (Array.isArray(value)) validateItems(node, value, Array.isArray(old) ? old : [], place, run);
  else if (isObject(value)) validateMembers(node, value, isObject(old) ? old : {}, place, run);
}

function validateItems(
  node: SchemaNode,
  list: readonly JsonValue[],
  old: readonly JsonValue[],
  place: ValuePosition,
  run: RuleRun,
): void {
  const { items } = node;
  if (!items?.within.rules) return;
  const oldItems = new MapItems(old, node);
  for (const [i, item] of list.entries()) validateValue(items, item, oldItems.like(item), below(place, i), run);
}

function validateMembers(node: SchemaNode, object: JsonObject, old: JsonObject, place: ValuePosition, run: RuleRun): void {
  const { properties, additional, mapType } = node;
  const correlatable = mapType === undefined || mapType === 'granular' || mapType === 'atomic';
  for (const key in object) {
    const child = properties?.get(key) ?? additional;
    if (typeof child !== 'object' || !child.within.rules) continue;
    const oldValue = correlatable && Object.hasOwn(old, key) ? old[key] : undefined;
    validateValue(child, object[key] as JsonValue, oldValue, below(place, key, child === additional), run);
  }
}

function below({ at, current, nearest }: ValuePosition, step: string | number, isMapKey = false): ValuePosition {
  const next = pathBelow(at, step, isMapKey);
  if (current === undefined) return { at: next, current, nearest, root: false };
  if (typeof step === 'number') return { at: next, current: current.index(step), nearest: current, root: false };
  // Old and new object have the apiVersion and kind of the request.
  if (nearest === undefined && (step === 'apiVersion' || step === 'kind'))
    return { at: next, current: undefined, nearest: undefined, root: false };
  return { at: next, current: current.key(step), nearest: current, root: false };
}

function pathBelow(at: FieldPath | undefined, step: string | number, isMapKey: boolean): FieldPath {
  if (typeof step === 'number') return (at ?? path('')).index(step);
  if (at === undefined) return isMapKey ? path('').key(step) : path(step);
  return isMapKey ? at.key(step) : at.child(step);
}
