import { StatusError } from '../errors/status-error.ts';
import { cannotUnmarshal } from '../json/errors.ts';
import { isNumberLiteral, isParsedObject, type ParsedObject, type ParsedValue } from '../json/number-literal.ts';
import { type JsonObject, setKey } from '../json/value.ts';

/** Applies a JSON merge patch (RFC 7386). Throws a StatusError. Never mutates document or patch; the result shares parts with both. */
export function mergePatch(document: JsonObject, patch: ParsedValue): ParsedObject {
  if (patch === null) throw StatusError.badRequest('Invalid JSON Patch');
  if (!isParsedObject(patch))
    throw StatusError.badRequest(`error decoding patch: ${cannotUnmarshal(patch, 'map[string]interface {}')}`);
  return mergeObjects(document, patch);
}

function mergeObjects(document: ParsedObject, patch: ParsedObject): ParsedObject {
  const merged: ParsedObject = { ...document };
  for (const key of Object.keys(patch)) {
    const value = patch[key] as ParsedValue;
    if (value === null) delete merged[key];
    else setKey(merged, key, mergeValues(Object.hasOwn(merged, key) ? merged[key] : null, value));
  }
  return merged;
}

/** An object that replaces a scalar or is new loses its nulls; a list that replaces an object keeps them. */
function mergeValues(value: ParsedValue | undefined, patch: ParsedValue): ParsedValue {
  if (!isParsedObject(value)) return withoutNulls(patch);
  return isParsedObject(patch) ? mergeObjects(value, patch) : patch;
}

function withoutNulls(value: ParsedValue): ParsedValue {
  if (typeof value !== 'object' || value === null || isNumberLiteral(value)) return value;
  if (Array.isArray(value)) return value.map(withoutNulls);
  const kept: ParsedObject = {};
  for (const key of Object.keys(value)) {
    const member = value[key] as ParsedValue;
    if (member !== null) setKey(kept, key, withoutNulls(member));
  }
  return kept;
}
