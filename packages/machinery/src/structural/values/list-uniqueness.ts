import { FieldErrors } from '../../errors/field-errors.ts';
import { type FieldPath, path } from '../../errors/field-path.ts';
import { sortKeys, stringifyJson } from '../../json/stringify.ts';
import { isObject, type JsonObject, type JsonValue, setKey } from '../../json/value.ts';
import type { SchemaNode } from '../schema/schema-node.ts';

/** Validates that items of sets and keys of map lists are unique. */
export function validateUniqueness(value: JsonValue, node: SchemaNode, at: FieldPath | undefined, errors: FieldErrors): void {
  if (!node.within.lists || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) validateList(value, node, at as FieldPath, errors);
  else validateMembers(value, node, at, errors);
}

/** Whether any set or map list has duplicates. */
export function hasDuplicates(value: JsonValue, node: SchemaNode): boolean {
  const errors = new FieldErrors();
  validateUniqueness(value, node, undefined, errors);
  return errors.length > 0;
}

function validateMembers(object: JsonObject, node: SchemaNode, at: FieldPath | undefined, errors: FieldErrors): void {
  const { additional, properties } = node;
  for (const key in object) {
    const value = object[key] as JsonValue;
    const property = properties?.get(key);
    if (typeof additional === 'object' && additional.within.lists)
      validateUniqueness(value, additional, at === undefined ? path('').key(key) : at.key(key), errors);
    if (property?.within.lists) validateUniqueness(value, property, at === undefined ? path(key) : at.child(key), errors);
  }
}

function validateList(list: readonly JsonValue[], node: SchemaNode, at: FieldPath, errors: FieldErrors): void {
  if (node.listType === 'set') {
    for (const i of secondOccurrences(list.map(identityOf))) errors.duplicate(at.index(i), sortKeys(list[i] as JsonValue));
  } else if (node.listType === 'map') validateMap(list, node.listMapKeys, at, errors);
  const { items } = node;
  if (items?.within.lists) for (const [i, item] of list.entries()) validateUniqueness(item, items, at.index(i), errors);
}

function validateMap(list: readonly JsonValue[], keys: readonly string[], at: FieldPath, errors: FieldErrors): void {
  const odd = list.findIndex((item) => item !== null && !isObject(item));
  if (odd >= 0) {
    errors.invalid(at.index(odd), list[odd], 'must be an object for an array of list-type map');
    return;
  }
  if (list.length < 2) return;
  const keyed = list.map((item) => keyOf(item, keys));
  for (const i of secondOccurrences(keyed.map(identityOf))) errors.duplicate(at.index(i), sortKeys(keyed[i] as JsonValue));
}

/** An object with only the list map keys of an item. */
function keyOf(item: JsonValue, keys: readonly string[]): JsonObject {
  const key: JsonObject = {};
  if (isObject(item)) for (const name of keys) if (Object.hasOwn(item, name)) setKey(key, name, item[name] as JsonValue);
  return key;
}

/** A key that is equal for deeply equal values only, for Map and Set. */
export function identityOf(value: JsonValue | undefined): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  return `{${stringifyJson(sortKeys(value))}`;
}

/** Whether a list has two equal values. */
export function hasEqualItems(list: readonly JsonValue[]): boolean {
  return secondOccurrences(list.map(identityOf)).length > 0;
}

/** The indexes of second occurrences. */
function secondOccurrences(identities: readonly unknown[]): readonly number[] {
  if (identities.length < 2) return [];
  const seen = new Map<unknown, number>();
  const second: number[] = [];
  for (let i = 0; i < identities.length; i++) {
    const times = (seen.get(identities[i]) ?? 0) + 1;
    seen.set(identities[i], times);
    if (times === 2) second.push(i);
  }
  return second;
}
