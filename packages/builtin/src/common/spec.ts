import { type JsonObject, objectIn } from '@tsukube/machinery';

/** The spec of an object; a new, empty one if it has none. */
export function specOf(object: JsonObject): JsonObject {
  return objectIn(object, 'spec') ?? {};
}

/** The status of an object; a new, empty one if it has none. */
export function statusOf(object: JsonObject): JsonObject {
  return objectIn(object, 'status') ?? {};
}
