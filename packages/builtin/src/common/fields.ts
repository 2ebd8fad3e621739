import { isObject, type JsonObject, type JsonValue } from '@tsukube/machinery';

const nothing: readonly JsonObject[] = [];

/** The objects in a list; none if it is absent. */
export function objectsIn(owner: JsonObject | undefined, field: string): readonly JsonObject[] {
  const list = owner?.[field];
  return Array.isArray(list) ? (list as JsonObject[]) : nothing;
}

/** Objects by their name. Of several with the same name the first is found. */
export function byName(objects: readonly JsonObject[]): ReadonlyMap<JsonValue | undefined, JsonObject> {
  return new Map(objects.map((object) => [object.name, object] as const).reverse());
}

export function textsIn(owner: JsonObject | undefined, field: string): readonly string[] {
  const list = owner?.[field];
  return Array.isArray(list) ? (list as string[]) : [];
}

export function objectIn(owner: JsonObject | undefined, field: string): JsonObject | undefined {
  const value = owner?.[field];
  return isObject(value) ? value : undefined;
}

/** The text of a field, empty if it is absent. */
export function textIn(owner: JsonObject | undefined, field: string): string {
  const value = owner?.[field];
  return typeof value === 'string' ? value : '';
}

/** The number of a field, zero if it is absent. */
export function numberIn(owner: JsonObject | undefined, field: string): number {
  const value = owner?.[field];
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : 0;
}

/** A map of texts, such as labels. */
export function mapIn(owner: JsonObject | undefined, field: string): Readonly<Record<string, string>> {
  return (objectIn(owner, field) ?? {}) as Record<string, string>;
}

/** Sets a field that is absent or has its zero value. */
export function fillIn(owner: JsonObject, field: string, value: JsonValue): void {
  if (!owner[field]) owner[field] = value;
}

/** For each text of a list, whether it occurs before. */
export function repeats(texts: readonly string[]): readonly boolean[] {
  const seen = new Set<string>();
  return texts.map((text) => seen.size === seen.add(text).size);
}
