import { getKey, isObject, type JsonObject, type JsonValue, setKey } from '../../json/value.ts';
import { directiveField, elementOrderPrefix, patchDirective, plainValue, retainKeysDirective } from './directives.ts';

/**
 * What Kubernetes shows of a patch that led to something wrong: what is left of it once it has been merged. Orders of
 * elements are used up with the lists they are about, and so are other directives.
 */
export function consumedPatch(patch: JsonObject, document: JsonObject): JsonObject {
  if (Object.hasOwn(patch, patchDirective)) return without(patch, new Set([patchDirective]));
  const used = new Set([retainKeysDirective]);
  for (const key of Object.keys(patch)) {
    const list = directiveField(key, elementOrderPrefix);
    if (list !== undefined) used.add(key).add(list);
  }
  const left: JsonObject = {};
  for (const [key, value] of Object.entries(without(patch, used))) setKey(left, key, consumedValue(value, getKey(document, key)));
  return left;
}

function consumedValue(value: JsonValue, before: JsonValue | undefined): JsonValue {
  if (!isObject(value)) return value;
  return isObject(before) ? consumedPatch(value, before) : (plainValue(value) ?? value);
}

function without(object: JsonObject, keys: ReadonlySet<string>): JsonObject {
  const rest: JsonObject = {};
  for (const key of Object.keys(object)) if (!keys.has(key)) setKey(rest, key, object[key] as JsonValue);
  return rest;
}
