import type { JsonObject, JsonValue } from '../schema/type.ts';

/** Whether two values are the same, whatever the order of their keys. An integer equals the bigint of the same value. */
export function deepEqual(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return equalNumbers(a, b);
  if (Array.isArray(a)) return Array.isArray(b) && equalLists(a, b);
  return !Array.isArray(b) && equalObjects(a, b);
}

function equalNumbers(a: unknown, b: unknown): boolean {
  const mixed = (typeof a === 'bigint' && typeof b === 'number') || (typeof a === 'number' && typeof b === 'bigint');
  // biome-ignore lint/suspicious/noDoubleEquals: the one comparison that is exact between a number and a bigint.
  return mixed && a == b;
}

function equalLists(a: readonly JsonValue[], b: readonly JsonValue[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!deepEqual(a[i], b[i])) return false;
  return true;
}

function equalObjects(a: JsonObject, b: JsonObject): boolean {
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  for (const key of keys) if (!Object.hasOwn(b, key) || !deepEqual(a[key], b[key])) return false;
  return true;
}
