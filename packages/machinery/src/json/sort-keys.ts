import type { JsonObject, JsonValue } from '../schema/type.ts';
import { setKey } from './object.ts';
import { stringifyJson } from './stringify.ts';
import { isWrittenNumber } from './written-number.ts';

/** The same value with the keys of all objects sorted: the order in which Kubernetes writes objects whose type it does not know. */
export function sortKeys(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null || isWrittenNumber(value)) return value;
  if (Array.isArray(value)) return value.map(sortKeys);
  const sorted: JsonObject = {};
  for (const key of Object.keys(value).sort()) setKey(sorted, key, sortKeys(value[key] as JsonValue));
  return sorted;
}

/** Text that is the same for equal values, so that a set of them finds what deepEqual would. */
export function canonicalJson(value: JsonValue): string {
  return stringifyJson(sortKeys(value));
}
