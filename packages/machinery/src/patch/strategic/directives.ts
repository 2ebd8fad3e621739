import { StatusError } from '../../errors/status-error.ts';
import { getKey, isObject, type JsonObject, type JsonValue, setKey } from '../../json/value.ts';
import { goTypeText, goValueText } from '../../text/go-value.ts';

export const patchDirective = '$patch';
export const retainKeysDirective = '$retainKeys';
export const deleteFromListPrefix = '$deleteFromPrimitiveList';
export const elementOrderPrefix = '$setElementOrder';

/** A new value without nulls and directives; undefined if it is itself a directive. */
export function plainValue(value: JsonValue): JsonValue | undefined {
  return withoutDirectives(withoutNulls(value));
}

/** Drops nulls: they delete members, and there is nothing to delete. */
function withoutNulls(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutNulls);
  const kept: JsonObject = {};
  for (const key of Object.keys(value)) {
    const member = value[key] as JsonValue;
    if (member !== null) setKey(kept, key, withoutNulls(member));
  }
  return kept;
}

export function withoutDirectives(value: JsonValue): JsonValue | undefined {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (Object.hasOwn(value, patchDirective)) return undefined;
  const kept: JsonObject = {};
  for (const key of Object.keys(value)) {
    const member = withoutDirectives(value[key] as JsonValue);
    if (member !== undefined) setKey(kept, key, member);
  }
  return kept;
}

/** Removes the keys that $retainKeys does not list. It must list all keys that the patch sets. */
export function applyRetainKeys(target: JsonObject, patch: JsonObject): void {
  if (!Object.hasOwn(patch, retainKeysDirective)) return;
  const keys = patch[retainKeysDirective];
  if (!Array.isArray(keys)) throw badRetainKeys();
  const retained = new Set(keys);
  for (const key of Object.keys(patch)) {
    const sets = patch[key] !== null && key !== retainKeysDirective && !isListDirective(key);
    if (sets && !retained.has(key)) throw badRetainKeys();
  }
  for (const key of Object.keys(target)) if (!retained.has(key)) delete target[key];
}

function isListDirective(key: string): boolean {
  return key.startsWith(deleteFromListPrefix) || key.startsWith(elementOrderPrefix);
}

/** The field of a directive such as `$setElementOrder/containers`; undefined if it has none. */
export function directiveField(key: string, prefix: string): string | undefined {
  return key.startsWith(`${prefix}/`) ? key.slice(prefix.length + 1) : undefined;
}

/** Kubernetes answers errors without a reason with 500, even if the client caused them. */
export function withoutReason(message: string): StatusError {
  return new StatusError({ status: 'Failure', message, code: 500 });
}

function badRetainKeys(): StatusError {
  return StatusError.badRequest('invalid patch format of retainKeys');
}

export function badElementOrder(): StatusError {
  return StatusError.badRequest('invalid patch format of setElementOrder list');
}

export function badPrimitiveList(): StatusError {
  return StatusError.badRequest('invalid patch format of primitive list');
}

export function listOfLists(): StatusError {
  return StatusError.generic(422, 'lists of lists are not supported');
}

export function noMergeKey(item: JsonObject, mergeKey: string): StatusError {
  return withoutReason(`map: ${goValueText(item)} does not contain declared merge key: ${mergeKey}`);
}

export function unknownPatchType(directive: JsonValue, patch: JsonObject): StatusError {
  const shown = typeof directive === 'string' ? directive : `%!s(${goTypeText(directive)}=${goValueText(directive)})`;
  return withoutReason(`unknown patch type: ${shown} in map: ${goValueText(patch)}`);
}

export function wrongType(expected: 'map[string]interface {}' | '[]interface {}', actual: JsonValue | undefined): StatusError {
  const received = actual === null || actual === undefined ? '%!s(<nil>)' : goTypeText(actual);
  return withoutReason(`expected a ${expected}, but received a ${received}`);
}

/**
 * The patch as Kubernetes shows it in errors: what merging leaves of it. Merging consumes $setElementOrder along with its
 * list, and other directives.
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
