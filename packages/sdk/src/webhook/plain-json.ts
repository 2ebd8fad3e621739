import { type JsonObject, type JsonValue, setKey } from '@tsukube/machinery';

const maxDepth = 1_000;

/**
 * A value of a handler as JSON.stringify sees it, with exact bigints: fields that are undefined or functions are absent, `toJSON` is called.
 * Throws for values without a JSON form and for nesting beyond 1,000 levels, which cycles have.
 */
export function plainJson(value: unknown, depth = 0): JsonValue {
  if (depth > maxDepth) throw new TypeError('the object is nested too deeply, or contains itself');
  if (value === null) return null;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'bigint') return value;
  if (typeof value !== 'object') return null;
  if ('toJSON' in value && typeof value.toJSON === 'function') return plainJson(value.toJSON(), depth + 1);
  if (Array.isArray(value)) return value.map((element) => plainJson(element, depth + 1));
  return plainObject(value as Record<string, unknown>, depth);
}

function plainObject(value: Record<string, unknown>, depth: number): JsonObject {
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) {
    const field = value[key];
    if (field !== undefined && typeof field !== 'function' && typeof field !== 'symbol')
      setKey(copy, key, plainJson(field, depth + 1));
  }
  return copy;
}
