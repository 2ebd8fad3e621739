import { isNumberLiteral, type NumberLiteral, type ParsedObject, type ParsedValue } from './number-literal.ts';

/** A JSON value; integers beyond 2^53 are bigints. */
export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | JsonObject;

/** Set keys that come from a client with `setKey`, never by assignment: `__proto__` must stay a plain key. */
export interface JsonObject {
  [key: string]: JsonValue;
}

/** Sets a key of any name; assignment to `__proto__` would set the prototype. */
export function setKey<T extends ParsedValue>(object: Record<string, T>, key: string, value: NoInfer<T>): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}

/** The value of an own key, never an inherited one. */
export function getKey<T extends ParsedValue>(object: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A copy without one key. Unlike `{ key: _, ...rest }` it does not put the object into V8's slow dictionary mode. */
export function withoutKey(object: JsonObject, without: string): JsonObject {
  const copy: JsonObject = {};
  for (const key in object) if (key !== without) setKey(copy, key, object[key] as JsonValue);
  return copy;
}

/** Compares values regardless of the order of keys. An integer equals the bigint of the same value. */
export function deepEqual(a: ParsedValue | undefined, b: ParsedValue | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return equalNumbers(a, b);
  if (Array.isArray(a)) return Array.isArray(b) && equalLists(a, b);
  return !Array.isArray(b) && equalObjects(a, b);
}

function equalNumbers(a: unknown, b: unknown): boolean {
  const mixed = (typeof a === 'bigint' && typeof b === 'number') || (typeof a === 'number' && typeof b === 'bigint');
  // biome-ignore lint/suspicious/noDoubleEquals: the only exact comparison between a number and a bigint.
  return mixed && a == b;
}

function equalLists(a: readonly ParsedValue[], b: readonly ParsedValue[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!deepEqual(a[i], b[i])) return false;
  return true;
}

/** Number literals are compared field by field as well, which spares a test on this hot path. */
function equalObjects(a: ParsedObject | NumberLiteral, b: ParsedObject | NumberLiteral): boolean {
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(b, key) || !deepEqual((a as ParsedObject)[key], (b as ParsedObject)[key])) return false;
  }
  return true;
}

/** A copy that shares nothing with the original but number literals, which are immutable. */
export function deepCopy<T extends ParsedValue>(value: T): T {
  return copyValue(value) as T;
}

function copyValue(value: ParsedValue): ParsedValue {
  if (typeof value !== 'object' || value === null || isNumberLiteral(value)) return value;
  return Array.isArray(value) ? copyList(value) : copyObject(value);
}

function copyList(list: readonly ParsedValue[]): ParsedValue[] {
  const copy: ParsedValue[] = new Array(list.length);
  for (let i = 0; i < list.length; i++) copy[i] = copyValue(list[i] as ParsedValue);
  return copy;
}

function copyObject(object: ParsedObject): ParsedObject {
  const copy: ParsedObject = {};
  for (const key of Object.keys(object)) setKey(copy, key, copyValue(object[key] as ParsedValue));
  return copy;
}
