import type { JsonObject, JsonValue } from '../schema/type.ts';

/** Applies RFC 6902 operations. Fails with a StatusError; `document` is never changed. */
export function jsonPatch(_document: JsonObject, _operations: JsonValue): JsonValue {
  throw new Error('not written yet');
}
