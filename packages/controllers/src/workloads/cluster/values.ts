import type { ApiObject } from '@tsukube/client';
import { deepCopy, deepEqual, type JsonValue } from '@tsukube/machinery';

/** A copy without undefined fields, which JSON does not have. */
export function pruned<T>(value: T): T {
  return prune(value) as T;
}

/** An object as it is sent. */
export function sentBody(object: object): ApiObject {
  return prune(object) as ApiObject;
}

/** An object, or a list of objects, of the API server as its type in `Kinds`: the resource it was read from determines that. */
export function typed<T>(object: object): T {
  return object as T;
}

function prune(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(prune);
  const copy: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) {
    if (field !== undefined) Object.defineProperty(copy, key, { value: prune(field), ...plain });
  }
  return copy;
}

/** `__proto__` is a plain key. */
const plain = { writable: true, enumerable: true, configurable: true };

/** Compares objects of the API; an undefined field equals an absent one. */
export function isSame(a: unknown, b: unknown): boolean {
  return deepEqual(pruned(a) as JsonValue, pruned(b) as JsonValue);
}

/** A deep copy that may be changed. */
export function copyOf<T>(value: T): T {
  return deepCopy(value as JsonValue) as T;
}

/** Go's `omitempty` of a number: 0 is absent. */
export function omitZero(count: number): number | undefined {
  return count === 0 ? undefined : count;
}
