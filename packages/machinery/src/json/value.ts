import { isNumberLiteral } from './number-literal.ts';
export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | JsonObject;
/** Keys are data: set them with `setKey` (below), never by assignment, so that `__proto__` stays a plain key. */
export interface JsonObject {
  [key: string]: JsonValue;
}

/** Sets a key that may have any name: assignment would take `__proto__` for the prototype. */
export function setKey(object: JsonObject, key: string, value: JsonValue): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}

/** The value of an own key; never something inherited, whatever the key is called. */
export function getKey(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * A copy without one of its keys, in which keys are found as fast as before: what `{ key: _, ...rest }` gives is a
 * dictionary to the engine.
 */
export function withoutKey(object: JsonObject, without: string): JsonObject {
  const copy: JsonObject = {};
  for (const key in object) if (key !== without) setKey(copy, key, object[key] as JsonValue);
  return copy;
}

/** Whether two values are the same, whatever the order of their keys. An integer equals the bigint of the same value. */
export function deepEqual(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return equalNumbers(a, b);
  if (Array.isArray(a)) return Array.isArray(b) && equalLists(a, b);
  return !Array.isArray(b) && equalObjects(a, b);
}

function equalNumbers(a: unknown, b: unknown): boolean {
  const mixed = (typeof a === 'bigint' && typeof b === 'number') || (typeof a === 'number' && typeof b === 'bigint');
  // biome-ignore lint/suspicious/noDoubleEquals: the one comparison that is exact between a number and a bigint.
  return mixed && a == b;
}

function equalLists(a: readonly JsonValue[], b: readonly JsonValue[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!deepEqual(a[i], b[i])) return false;
  return true;
}

function equalObjects(a: JsonObject, b: JsonObject): boolean {
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  for (const key of keys) if (!Object.hasOwn(b, key) || !deepEqual(a[key], b[key])) return false;
  return true;
}

/** A copy that shares nothing with the original. */
export function deepCopy<T extends JsonValue>(value: T): T {
  return copyValue(value) as T;
}

function copyValue(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null || isNumberLiteral(value)) return value;
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
