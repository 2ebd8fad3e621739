import type { JsonObject, JsonValue } from '../schema/type.ts';
import { setKey } from './object.ts';
import { isWrittenNumber } from './written-number.ts';

/** A copy that shares nothing with the original. */
export function deepCopy<T extends JsonValue>(value: T): T {
  return copyValue(value) as T;
}

function copyValue(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null || isWrittenNumber(value)) return value;
  return Array.isArray(value) ? copyList(value) : copyObject(value);
}

function copyList(list: readonly JsonValue[]): JsonValue[] {
  const copy: JsonValue[] = new Array(list.length);
  for (let i = 0; i < list.length; i++) copy[i] = copyValue(list[i] as JsonValue);
  return copy;
}

function copyObject(object: JsonObject): JsonObject {
  const copy: JsonObject = {};
  for (const key of Object.keys(object)) setKey(copy, key, copyValue(object[key] as JsonValue));
  return copy;
}
