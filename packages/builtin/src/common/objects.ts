import { type JsonObject, objectIn, setKey } from '@tsukube/machinery';

/** The spec of an object; a new, empty one if it has none. */
export function specOf(object: JsonObject): JsonObject {
  return objectIn(object, 'spec') ?? {};
}

/** The status of an object; a new, empty one if it has none. */
export function statusOf(object: JsonObject): JsonObject {
  return objectIn(object, 'status') ?? {};
}

/** A map of strings in key order, as Go encodes maps. */
export function sortedMap(map: ReadonlyMap<string, string>): Record<string, string> {
  const sorted: Record<string, string> = {};
  for (const [key, value] of [...map].sort(([a], [b]) => (a < b ? -1 : 1))) setKey(sorted, key, value);
  return sorted;
}
