import { type JsonObject, type JsonValue, setKey } from '../../json/value.ts';
import { badRetainKeys } from './errors.ts';

export const patchDirective = '$patch';
export const retainKeysDirective = '$retainKeys';
export const deleteFromListPrefix = '$deleteFromPrimitiveList';
export const elementOrderPrefix = '$setElementOrder';

/** The value to take over where there was none: without its nulls and directives; undefined if it is itself a directive. */
export function plainValue(value: JsonValue): JsonValue | undefined {
  return withoutDirectives(withoutNulls(value));
}

/** Members that are null mean to delete, and there is nothing to delete. */
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

/** Clears from `target` what the patch does not list in $retainKeys. Everything the patch sets must be listed. */
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

/** The field that a directive such as `$setElementOrder/containers` is about; undefined if it names none. */
export function directiveField(key: string, prefix: string): string | undefined {
  return key.startsWith(`${prefix}/`) ? key.slice(prefix.length + 1) : undefined;
}
