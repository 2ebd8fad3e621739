import { isObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { asMember, type FieldSet, type MutableFieldSet, noFields } from '../managed-fields/field-set.ts';
import { fieldElement } from '../managed-fields/path-element.ts';
import { itemsByElement } from './list-items.ts';
import {
  anySchema,
  deduceSchema,
  isAtomic,
  type ListMergeSchema,
  type MergeSchema,
  memberSchema,
  type ObjectMergeSchema,
} from './merge-schema.ts';

/** The paths that applying an object owns. */
export function fieldSetOf(object: JsonObject, schema: ObjectMergeSchema): FieldSet {
  return objectPart(object, schema) ?? noFields;
}

/** The set of a value and everything below it; undefined if it is empty. */
function partOf(value: JsonValue, given: MergeSchema): FieldSet | undefined {
  const schema = deduceSchema(given, value);
  if (isAtomic(schema)) return noFields;
  if (schema.is === 'list') return Array.isArray(value) ? listPart(value, schema) : undefined;
  return isObject(value) ? objectPart(value, schema as ObjectMergeSchema) : undefined;
}

function objectPart(object: JsonObject, schema: ObjectMergeSchema): FieldSet | undefined {
  let part: MutableFieldSet | undefined;
  for (const key of Object.keys(object)) {
    const value = object[key] as JsonValue;
    const below = partOf(value, memberSchema(schema, key) ?? anySchema);
    const owned = schema.fields.has(key) && !isNothing(value) ? below : asMember(below);
    if (owned === undefined) continue;
    part ??= {};
    part[fieldElement(key)] = owned as MutableFieldSet;
  }
  return part;
}

/** Duplicate items are owned without anything below them. */
function listPart(list: readonly JsonValue[], schema: ListMergeSchema): FieldSet | undefined {
  let part: MutableFieldSet | undefined;
  for (const [element, items] of itemsByElement(list, schema)) {
    const below = items.length === 1 ? partOf(items[0] as JsonValue, schema.of) : undefined;
    part ??= {};
    part[element] = asMember(below) as MutableFieldSet;
  }
  return part;
}

function isNothing(value: JsonValue): boolean {
  return value === null || (isObject(value) && Object.keys(value).length === 0);
}
