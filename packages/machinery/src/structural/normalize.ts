import { memoize } from '../cache/bounded-cache.ts';
import { stringifyJson } from '../json/stringify.ts';
import { deepCopy, type JsonObject, type JsonValue, setKey } from '../json/value.ts';
import type { Normalized, Origin } from './compiled-schema.ts';
import { coerceEmbedded, isMetaField } from './embedded-objects.ts';
import { Normalization } from './normalization.ts';
import type { SchemaNode } from './schema/schema-node.ts';
import type { DefaultsBudget } from './values/budget.ts';

/** Characters of JSON counted for a number, a boolean or null. */
const scalarCharacters = 5;

/** Treatment of fields that the schema does not declare. */
type Unnamed = 'drop' | 'keep';

/** Normalizes an object in place. Leaves the metadata of the root alone: it is decoded elsewhere. */
export function normalizeRoot(object: JsonObject, root: SchemaNode, origin: Origin, preserve: boolean): Normalized {
  const run = new Normalization(origin);
  const unnamed = preserve || root.preserveUnknown ? 'keep' : 'drop';
  normalizeFields(object, root, unnamed, run, preserve, true);
  if (run.defaults) fillDefaults(object, root, run.budget);
  return run.result();
}

/** Below `all` nothing is pruned, not even nulls. */
function normalizeValue(value: JsonValue, node: SchemaNode, unnamed: Unnamed, run: Normalization, all: boolean): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    normalizeItems(value, node, unnamed, run, all);
    return;
  }
  if (node.embedded) coerceEmbedded(value, run);
  normalizeFields(value, node, unnamed, run, all, node.embedded);
  if (run.defaults) fillDefaults(value, node, run.budget);
}

function normalizeItems(list: JsonValue[], node: SchemaNode, unnamed: Unnamed, run: Normalization, all: boolean): void {
  const { items } = node;
  for (let i = 0; i < list.length; i++) {
    const item = list[i] as JsonValue;
    if (run.defaults && item === null && items !== undefined && !items.nullable) list[i] = defaultOf(items, run.budget);
    if (typeof item !== 'object' || item === null) continue;
    run.enter(i, false);
    if (items === undefined) dropAll(item, unnamed, run);
    // A list that keeps unknown fields makes its items keep theirs, and them only.
    else normalizeValue(item, items, items.preserveUnknown ? 'keep' : unnamed, run, all);
    run.leave();
  }
}

function normalizeFields(
  object: JsonObject,
  node: SchemaNode,
  unnamed: Unnamed,
  run: Normalization,
  all: boolean,
  embedded: boolean,
): void {
  const { properties, additional } = node;
  for (const key in object) {
    const property = properties?.get(key);
    if (property !== undefined) {
      const kept = all || property.preserveUnknown || (embedded && isMetaField(key)) ? 'keep' : 'drop';
      normalizeField(object, key, property, kept, run, all, false);
    } else if (embedded && isMetaField(key)) {
      // Not described by the schema, and checked otherwise.
    } else if (typeof additional === 'object') {
      normalizeField(object, key, additional, all || additional.preserveUnknown ? 'keep' : 'drop', run, all, true);
    } else if (additional !== undefined) {
      run.enter(key, true);
      dropAll(object[key] as JsonValue, all ? 'keep' : 'drop', run);
      run.leave();
    } else if (unnamed === 'drop') {
      run.addUnknown(key);
      delete object[key];
    }
  }
}

function normalizeField(
  object: JsonObject,
  key: string,
  node: SchemaNode,
  unnamed: Unnamed,
  run: Normalization,
  all: boolean,
  isMapKey: boolean,
): void {
  const value = object[key] as JsonValue;
  if (typeof value !== 'object') return;
  if (value === null) {
    if (!node.nullable && (run.defaults || node.default === undefined)) replaceNull(object, key, node, run, all);
    return;
  }
  run.enter(key, isMapKey);
  normalizeValue(value, node, unnamed, run, all);
  run.leave();
}

function replaceNull(object: JsonObject, key: string, node: SchemaNode, run: Normalization, all: boolean): void {
  if (node.default !== undefined) setKey(object, key, defaultOf(node, run.budget));
  else if (!all) delete object[key];
}

/** Objects without a schema lose all their fields. */
function dropAll(value: JsonValue, unnamed: Unnamed, run: Normalization): void {
  if (typeof value !== 'object' || value === null || unnamed === 'keep') return;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      run.enter(i, false);
      dropAll(value[i] as JsonValue, unnamed, run);
      run.leave();
    }
    return;
  }
  for (const key of Object.keys(value)) {
    run.addUnknown(key);
    delete value[key];
  }
}

function fillDefaults(object: JsonObject, node: SchemaNode, budget: DefaultsBudget): void {
  for (const key of node.defaulted) {
    if (Object.hasOwn(object, key)) continue;
    setKey(object, key, defaultOf(node.properties?.get(key) as SchemaNode, budget));
  }
}

/** Normalizes a default in place. */
export function normalizeDefault(value: JsonValue, node: SchemaNode): Normalization {
  const run = new Normalization('store');
  normalizeValue(value, node, node.preserveUnknown ? 'keep' : 'drop', run, false);
  return run;
}

interface CompleteDefault {
  readonly value: JsonValue;
  /** Characters of its JSON text. */
  readonly size: number;
}

/** A copy of the default, pruned and with nested defaults applied. */
function defaultOf(node: SchemaNode, budget: DefaultsBudget): JsonValue {
  const given = node.default ?? null;
  if (typeof given !== 'object' || given === null) {
    budget.add(typeof given === 'string' ? given.length : scalarCharacters);
    return given;
  }
  const { value, size } = completeDefault(node);
  budget.add(size);
  return deepCopy(value);
}

const completeDefault = memoize((node: SchemaNode): CompleteDefault => {
  const value = deepCopy(node.default ?? null);
  normalizeDefault(value, node);
  return { value, size: stringifyJson(value).length };
});

/** Applies defaults without pruning. Nulls that are not nullable are replaced by their default, if there is one. */
export function applyDefaults(value: JsonValue, node: SchemaNode, budget: DefaultsBudget): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    if (node.items !== undefined) defaultItems(value, node.items, budget);
    return;
  }
  for (const key in value) {
    const child = node.properties?.get(key) ?? node.additional;
    if (typeof child !== 'object') continue;
    if (value[key] === null && !child.nullable && child.default !== undefined) setKey(value, key, defaultOf(child, budget));
    else applyDefaults(value[key] as JsonValue, child, budget);
  }
  fillDefaults(value, node, budget);
}

function defaultItems(list: JsonValue[], items: SchemaNode, budget: DefaultsBudget): void {
  for (let i = 0; i < list.length; i++) {
    if (list[i] === null && !items.nullable) list[i] = defaultOf(items, budget);
    else applyDefaults(list[i] as JsonValue, items, budget);
  }
}
