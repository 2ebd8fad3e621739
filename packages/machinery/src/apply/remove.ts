import { isObject, setKey } from '../json/object.ts';
import type { JsonObject, JsonValue } from '../schema/type.ts';
import { type FieldSet, isEmptySet, isMember } from './field-set.ts';
import { tryElement } from './list-items.ts';
import { fieldElement } from './path-element.ts';
import { anyShape, isWhole, type ListShape, memberShape, type ObjectShape, type Shape, shapeFor } from './shape.ts';

/** The object without the paths of the set. */
export function removePaths(object: JsonObject, set: FieldSet, shape: ObjectShape): JsonObject {
  if (isEmptySet(set)) return object;
  const rest: JsonObject = {};
  for (const key of Object.keys(object)) {
    const value = object[key] as JsonValue;
    const part = set[fieldElement(key)];
    if (part === undefined) setKey(rest, key, value);
    else if (!isMember(part)) setKey(rest, key, removeBelow(value, part, memberShape(shape, key) ?? anyShape));
  }
  return rest;
}

/** What nothing is left of is null, as if nobody had said anything of it. */
function removeBelow(value: JsonValue, set: FieldSet, given: Shape): JsonValue {
  const shape = shapeFor(given, value);
  if (shape.is === 'scalar' || shape.is === 'any') return value;
  if (isWhole(shape)) return null;
  if (shape.is === 'list') return Array.isArray(value) ? removeItems(value, set, shape) : null;
  const rest = isObject(value) ? removePaths(value, set, shape) : {};
  return Object.keys(rest).length === 0 ? null : rest;
}

function removeItems(list: readonly JsonValue[], set: FieldSet, shape: ListShape): JsonValue {
  const rest: JsonValue[] = [];
  for (const item of list) {
    const element = tryElement(item, shape);
    const part = element === undefined ? undefined : set[element];
    if (part === undefined) rest.push(item);
    else if (!isMember(part)) rest.push(removeBelow(item, part, shape.of));
  }
  return rest.length === 0 ? null : rest;
}
