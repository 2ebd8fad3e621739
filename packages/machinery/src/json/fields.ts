/**
 * Fields of JSON objects by name, read as Go's getters read them: an absent field, or one of another type, has the zero
 * value of its type. Elements of lists and values of maps are not checked: validation against the schema comes first.
 */
import { isObject, type JsonObject, type JsonValue, setKey } from './value.ts';

const noMap: Readonly<Record<string, string>> = Object.freeze({});
const noObjects: readonly JsonObject[] = Object.freeze([]);
const noValues: readonly JsonValue[] = noObjects;
const noTexts: readonly string[] = Object.freeze([]);

export function textIn(owner: JsonObject | undefined, field: string): string {
  const value = owner?.[field];
  return typeof value === 'string' ? value : '';
}

/** A number as a JavaScript number; an int64 beyond 2^53 loses precision. */
export function numberIn(owner: JsonObject | undefined, field: string): number {
  const value = owner?.[field];
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : 0;
}

/** An int64 without loss of precision. */
export function integerIn(owner: JsonObject | undefined, field: string): number | bigint {
  const value = owner?.[field];
  return typeof value === 'number' || typeof value === 'bigint' ? value : 0;
}

export function objectIn(owner: JsonObject | undefined, field: string): JsonObject | undefined {
  const value = owner?.[field];
  return isObject(value) ? value : undefined;
}

/** A map of strings, such as labels. */
export function mapIn(owner: JsonObject | undefined, field: string): Readonly<Record<string, string>> {
  const value = owner?.[field];
  return isObject(value) ? (value as Record<string, string>) : noMap;
}

export function listIn(owner: JsonObject | undefined, field: string): readonly JsonValue[] {
  const list = owner?.[field];
  return Array.isArray(list) ? list : noValues;
}

/** A list of objects. */
export function objectsIn(owner: JsonObject | undefined, field: string): readonly JsonObject[] {
  const list = owner?.[field];
  return Array.isArray(list) ? (list as JsonObject[]) : noObjects;
}

/** A list of strings. */
export function textsIn(owner: JsonObject | undefined, field: string): readonly string[] {
  const list = owner?.[field];
  return Array.isArray(list) ? (list as string[]) : noTexts;
}

/** The fields that are defined: JSON has no undefined. */
export function definedFields(fields: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const defined: JsonObject = {};
  for (const [key, value] of Object.entries(fields)) if (value !== undefined) setKey(defined, key, value);
  return defined;
}

/** Sets a field that is absent or has its zero value. */
export function fillIn(owner: JsonObject, field: string, value: JsonValue): void {
  if (!owner[field]) owner[field] = value;
}

/** The object in a field; an empty one is put there if it is absent. */
export function ensureObject(owner: JsonObject, field: string): JsonObject {
  const value = owner[field];
  if (isObject(value)) return value;
  const made: JsonObject = {};
  owner[field] = made;
  return made;
}

/** Objects by their `name` field; the first of several with the same name. */
export function byName(objects: readonly JsonObject[]): ReadonlyMap<JsonValue | undefined, JsonObject> {
  return new Map(objects.map((object) => [object.name, object] as const).reverse());
}

/** For each string of a list, whether it occurs earlier in the list. */
export function repeats(texts: readonly string[]): readonly boolean[] {
  const seen = new Set<string>();
  return texts.map((text) => seen.size === seen.add(text).size);
}
