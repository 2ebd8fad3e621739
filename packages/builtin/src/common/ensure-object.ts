import { isObject, type JsonObject } from '@tsukube/machinery';

/** The object in a field, which is made if it is absent. */
export function ensureObject(owner: JsonObject, field: string): JsonObject {
  const value = owner[field];
  if (isObject(value)) return value;
  const made: JsonObject = {};
  owner[field] = made;
  return made;
}
