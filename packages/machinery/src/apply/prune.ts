import { isObject, type JsonObject, type JsonValue, setKey } from '../json/value.ts';
import {
  asMember,
  difference,
  type FieldSet,
  intersection,
  isEmptySet,
  isMember,
  type MutableFieldSet,
  union,
  unionOfAll,
} from '../managed-fields/field-set.ts';
import { isSameOwner, type Owner } from '../managed-fields/owners.ts';
import { contentOf, fieldElement, self } from '../managed-fields/path-element.ts';
import { fieldSetOf } from './compare.ts';
import { convertFor, inStep, type Versions } from './field-manager.ts';
import { tryElement } from './list-items.ts';
import {
  anySchema,
  deduceSchema,
  isAtomic,
  type ListMergeSchema,
  type MergeSchema,
  memberSchema,
  type ObjectMergeSchema,
} from './merge-schema.ts';

/**
 * Removes from a merged object the fields that the applier owned before and that no manager owns now. The result is in
 * the version of `merged`. `owners` includes the applier with its new fields.
 */
export function prune(
  merged: JsonObject,
  last: Owner | undefined,
  owners: readonly Owner[],
  apiVersion: string,
  versions: Versions,
): JsonObject {
  if (last === undefined || isEmptySet(last.fields)) return merged;
  const isStrict = versions.strict === true && owners.some((owner) => owner.apiVersion !== last.apiVersion);
  if (!isStrict && !givesUp(last, owners)) return merged;
  return inStep('failed to prune fields', () => pruned(merged, last, owners, apiVersion, versions));
}

function pruned(merged: JsonObject, last: Owner, owners: readonly Owner[], apiVersion: string, versions: Versions): JsonObject {
  const then = convertFor('failed to convert merged object to last applied version', merged, last.apiVersion, versions);
  if (then === undefined) return merged;
  const schema = versions.mergeSchema(last.apiVersion);
  const lastFields = withNamedFields(last.fields, schema);
  const removed = removePaths(then, lastFields, schema);
  const rest = inStep('failed add back owned items', () => addBackOwned(then, removed, last.apiVersion, owners, versions));
  const result = inStep('failed add back dangling items', () =>
    addBackDangling(then, rest, lastFields, last.apiVersion, versions),
  );
  return versions.convert(result, apiVersion) ?? merged;
}

/** Whether the applier owned fields that it no longer owns. */
function givesUp(last: Owner, owners: readonly Owner[]): boolean {
  const now = owners.find((owner) => isSameOwner(owner, last));
  if (now === undefined || now.apiVersion !== last.apiVersion) return !isEmptySet(last.fields);
  return !isEmptySet(difference(last.fields, now.fields));
}

/** Adds back pruned fields that a manager owns, version by version, starting with the version used for pruning. */
function addBackOwned(
  merged: JsonObject,
  pruned: JsonObject,
  prunedIn: string,
  owners: readonly Owner[],
  versions: Versions,
): JsonObject {
  const sets = new Map<string, FieldSet[]>(owners.map(({ apiVersion }) => [apiVersion, []]));
  for (const { apiVersion, fields } of owners) sets.get(apiVersion)?.push(fields);
  const order = [...sets.keys()].sort((a, b) => Number(b === prunedIn) - Number(a === prunedIn));
  let rest = pruned;
  for (const apiVersion of order) {
    const owned = unionOfAll(sets.get(apiVersion) as FieldSet[]);
    rest = addBackIn(merged, rest, apiVersion, owned, versions);
  }
  return rest;
}

function addBackIn(merged: JsonObject, pruned: JsonObject, apiVersion: string, owned: FieldSet, versions: Versions): JsonObject {
  const whole = convertFor(`failed to convert merged object at version ${apiVersion}`, merged, apiVersion, versions);
  const rest = convertFor(`failed to convert pruned object at version ${apiVersion}`, pruned, apiVersion, versions);
  if (whole === undefined || rest === undefined) return pruned;
  const schema = versions.mergeSchema(apiVersion);
  const named = (set: FieldSet) => withNamedFields(set, schema);
  const kept = union(named(fieldSetOf(rest, schema)), named(owned));
  return removePaths(whole, difference(named(fieldSetOf(whole, schema)), kept), schema);
}

/** Adds back pruned fields that the applier did not own. */
function addBackDangling(
  merged: JsonObject,
  pruned: JsonObject,
  lastFields: FieldSet,
  apiVersion: string,
  versions: Versions,
): JsonObject {
  const rest = convertFor('failed to convert pruned object to last applied version', pruned, apiVersion, versions);
  if (rest === undefined) return merged;
  const schema = versions.mergeSchema(apiVersion);
  const named = (object: JsonObject) => withNamedFields(fieldSetOf(object, schema), schema);
  const gone = difference(named(merged), named(rest));
  return removePaths(merged, intersection(gone, lastFields), schema);
}

/** Removes the paths of a set from an object. */
function removePaths(object: JsonObject, set: FieldSet, schema: ObjectMergeSchema): JsonObject {
  if (isEmptySet(set)) return object;
  const rest: JsonObject = {};
  for (const key of Object.keys(object)) {
    const value = object[key] as JsonValue;
    const part = set[fieldElement(key)];
    if (part === undefined) setKey(rest, key, value);
    else if (!isMember(part)) setKey(rest, key, removeBelow(value, part, memberSchema(schema, key) ?? anySchema));
  }
  return rest;
}

/** An object or list that becomes empty is null, as if it had never been set. */
function removeBelow(value: JsonValue, set: FieldSet, given: MergeSchema): JsonValue {
  const schema = deduceSchema(given, value);
  if (schema.is === 'scalar' || schema.is === 'any') return value;
  if (isAtomic(schema)) return null;
  if (schema.is === 'list') return Array.isArray(value) ? removeItems(value, set, schema) : null;
  const rest = isObject(value) ? removePaths(value, set, schema) : {};
  return Object.keys(rest).length === 0 ? null : rest;
}

function removeItems(list: readonly JsonValue[], set: FieldSet, schema: ListMergeSchema): JsonValue {
  const rest: JsonValue[] = [];
  for (const item of list) {
    const element = tryElement(item, schema);
    const part = element === undefined ? undefined : set[element];
    if (part === undefined) rest.push(item);
    else if (!isMember(part)) rest.push(removeBelow(item, part, schema.of));
  }
  return rest.length === 0 ? null : rest;
}

/** Adds each declared field that has members in the set (structured-merge-diff's EnsureNamedFieldsAreMembers). */
function withNamedFields(set: FieldSet, schema: MergeSchema | undefined): FieldSet {
  const named: MutableFieldSet = {};
  for (const element in set) {
    if (element === self) {
      named[self] = {};
      continue;
    }
    const below = withNamedFields(set[element] as FieldSet, schemaBelow(element, schema));
    const isNamed = element[0] === 'f' && schema?.is === 'object' && schema.fields.has(contentOf(element));
    named[element] = (isNamed ? asMember(below) : below) as MutableFieldSet;
  }
  return named;
}

function schemaBelow(element: string, schema: MergeSchema | undefined): MergeSchema | undefined {
  if (schema?.is === 'object' && element[0] === 'f') return memberSchema(schema, contentOf(element));
  return schema?.is === 'list' && element[0] === 'k' ? schema.of : undefined;
}
