import { isObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { asMember, type FieldSet, type MutableFieldSet, noFields } from '../managed-fields/field-set.ts';
import { fieldElement } from '../managed-fields/path-element.ts';
import { itemsByElement } from './list-items.ts';
import { anyShape, isWhole, type ListShape, memberShape, type ObjectShape, type Shape, shapeFor } from './merge-schema.ts';

/** Every path of an object that somebody who sets the object says something about. */
export function fieldSetOf(object: JsonObject, shape: ObjectShape): FieldSet {
  return objectPart(object, shape) ?? noFields;
}

/** What belongs to the set of a value and what is below it; undefined if nothing does. */
function partOf(value: JsonValue, given: Shape): FieldSet | undefined {
  const shape = shapeFor(given, value);
  if (isWhole(shape)) return noFields;
  if (shape.is === 'list') return Array.isArray(value) ? listPart(value, shape) : undefined;
  return isObject(value) ? objectPart(value, shape as ObjectShape) : undefined;
}

function objectPart(object: JsonObject, shape: ObjectShape): FieldSet | undefined {
  let part: MutableFieldSet | undefined;
  for (const key of Object.keys(object)) {
    const value = object[key] as JsonValue;
    const below = partOf(value, memberShape(shape, key) ?? anyShape);
    const owned = shape.fields.has(key) && !isNothing(value) ? below : asMember(below);
    if (owned === undefined) continue;
    part ??= {};
    part[fieldElement(key)] = owned as MutableFieldSet;
  }
  return part;
}

/** Of items that cannot be told apart only that they are there is said. */
function listPart(list: readonly JsonValue[], shape: ListShape): FieldSet | undefined {
  let part: MutableFieldSet | undefined;
  for (const [element, items] of itemsByElement(list, shape)) {
    const below = items.length === 1 ? partOf(items[0] as JsonValue, shape.of) : undefined;
    part ??= {};
    part[element] = asMember(below) as MutableFieldSet;
  }
  return part;
}

function isNothing(value: JsonValue): boolean {
  return value === null || (isObject(value) && Object.keys(value).length === 0);
}
