import type { JsonObject, JsonValue } from '../schema/type.ts';
import { setKey } from './object.ts';
import { isWrittenNumber } from './written-number.ts';

/** The same value with the keys of all objects sorted: the order in which Kubernetes writes objects whose type it does not know. */
export function sortKeys(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null || isWrittenNumber(value)) return value;
  if (Array.isArray(value)) return value.map(sortKeys);
  const sorted: JsonObject = {};
  for (const key of Object.keys(value).sort()) setKey(sorted, key, sortKeys(value[key] as JsonValue));
  return sorted;
}
