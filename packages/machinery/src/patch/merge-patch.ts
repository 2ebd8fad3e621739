import { StatusError } from '../errors/status-error.ts';
import { cannotUnmarshal } from '../json/errors.ts';
import { isNumberLiteral } from '../json/number-literal.ts';
import { isObject, type JsonObject, type JsonValue, setKey } from '../json/value.ts';

/** Applies an RFC 7386 patch. Fails with a StatusError; neither document nor patch is changed, and the result shares parts with both. */
export function mergePatch(document: JsonObject, patch: JsonValue): JsonObject {
  if (patch === null) throw StatusError.badRequest('Invalid JSON Patch');
  if (!isObject(patch))
    throw StatusError.badRequest(`error decoding patch: ${cannotUnmarshal(patch, 'map[string]interface {}')}`);
  return mergeObjects(document, patch);
}

function mergeObjects(document: JsonObject, patch: JsonObject): JsonObject {
  const merged = { ...document };
  for (const key of Object.keys(patch)) {
    const value = patch[key] as JsonValue;
    if (value === null) delete merged[key];
    else setKey(merged, key, mergeValues(Object.hasOwn(merged, key) ? merged[key] : null, value));
  }
  return merged;
}

/** An object that takes the place of nothing or of a scalar loses its nulls; a list that replaces an object keeps them. */
function mergeValues(value: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isObject(value)) return withoutNulls(patch);
  return isObject(patch) && !isNumberLiteral(patch) ? mergeObjects(value, patch) : patch;
}

function withoutNulls(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null || isNumberLiteral(value)) return value;
  if (Array.isArray(value)) return value.map(withoutNulls);
  const kept: JsonObject = {};
  for (const key of Object.keys(value)) {
    const member = value[key] as JsonValue;
    if (member !== null) setKey(kept, key, withoutNulls(member));
  }
  return kept;
}
