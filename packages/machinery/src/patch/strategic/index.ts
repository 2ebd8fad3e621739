import { StatusError } from '../../errors/status-error.ts';
import { cannotUnmarshal } from '../../json/errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts';
import type { TypeCatalogue, TypeDefinition } from '../../schema/type.ts';
import { StrategicMerge } from './merge.ts';

/** Applies a strategic merge patch. Throws a StatusError. Never mutates document or patch. */
export function strategicMergePatch(
  document: JsonObject,
  patch: JsonValue,
  type: TypeDefinition,
  catalogue: TypeCatalogue,
): JsonObject {
  if (patch === null) return document;
  if (!isObject(patch)) throw StatusError.badRequest(cannotUnmarshal(patch, 'map[string]interface {}'));
  return new StrategicMerge(catalogue).mergeObject(document, patch, { is: 'object', ref: type.name });
}

export { consumedPatch } from './directives.ts';

/** For custom resources, which have no Go types. */
export function strategicMergeNotSupported(): StatusError {
  return StatusError.badRequest('strategic merge patch format is not supported');
}
