import type { JsonObject, JsonValue, TypeCatalogue, TypeDefinition } from '../schema/type.ts';

/** Applies a strategic merge patch to an object of a type. Fails with a StatusError; `document` is never changed. */
export function strategicMergePatch(
  _document: JsonObject,
  _patch: JsonValue,
  _type: TypeDefinition,
  _catalogue: TypeCatalogue,
): JsonObject {
  throw new Error('not written yet');
}
