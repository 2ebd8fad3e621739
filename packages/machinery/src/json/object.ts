import type { JsonObject, JsonValue } from '../schema/type.ts';

/** Sets a key that may have any name: assignment would take `__proto__` for the prototype. */
export function setKey(object: JsonObject, key: string, value: JsonValue): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}

/** The value of an own key; never something inherited, whatever the key is called. */
export function getKey(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * A copy without one of its keys, in which keys are found as fast as before: what `{ key: _, ...rest }` gives is a
 * dictionary to the engine.
 */
export function withoutKey(object: JsonObject, without: string): JsonObject {
  const copy: JsonObject = {};
  for (const key in object) if (key !== without) setKey(copy, key, object[key] as JsonValue);
  return copy;
}
