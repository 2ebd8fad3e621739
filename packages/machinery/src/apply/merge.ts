import { getKey, isObject, setKey } from '../json/object.ts';
import type { JsonObject, JsonValue } from '../schema/type.ts';
import { mergeItems } from './merge-items.ts';
import { anyShape, isWhole, memberShape, type ObjectShape, type Shape, shapeFor } from './shape.ts';

/** The object with what is applied to it. Neither is changed; the result shares parts with both. */
export function mergeObjects(live: JsonObject, applied: JsonObject, shape: ObjectShape): JsonObject {
  const merged: JsonObject = { ...live };
  for (const key of Object.keys(applied)) {
    const value = applied[key] as JsonValue;
    const old = getKey(live, key);
    setKey(merged, key, old === undefined ? value : mergeValues(old, value, memberShape(shape, key) ?? anyShape));
  }
  return merged;
}

function mergeValues(live: JsonValue, applied: JsonValue, given: Shape): JsonValue {
  const shape = shapeFor(given, applied, live);
  if (isWhole(shape)) return applied;
  if (shape.is === 'list') {
    if (!hasItems(live)) return applied;
    return mergeItems(live, hasItems(applied) ? applied : [], shape, mergeValues);
  }
  if (!isObject(live) || Object.keys(live).length === 0) return applied;
  return mergeObjects(live, isObject(applied) ? applied : {}, shape as ObjectShape);
}

function hasItems(value: JsonValue): value is JsonValue[] {
  return Array.isArray(value) && value.length > 0;
}
