import type { JsonObject, JsonValue } from '../schema/type.ts';

/** Applies an RFC 7386 patch. Fails with a StatusError; `document` is never changed, but parts of both end up in the result. */
export function mergePatch(_document: JsonObject, _patch: JsonValue): JsonObject {
  throw new Error('not written yet');
}
