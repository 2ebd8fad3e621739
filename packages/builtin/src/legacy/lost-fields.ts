import {
  deepCopy,
  deepEqual,
  isObject,
  type JsonObject,
  type JsonValue,
  mapIn,
  objectIn,
  parseJson,
  setKey,
  stringifyJson,
} from '@tsukube/machinery';

/** Preserves hub fields that an old version cannot express, so that read-modify-write by an old client loses nothing. */
export const lostFieldsAnnotation = 'tsukube.dev/lost-in-conversion';

type Key = string | number;

/**
 * One value of the hub: `read` is its conversion to the old version and back, `was` the original; absent values are omitted.
 * It is restored only if the converted value is still `read`, so that a change by the client wins.
 */
type LostField = {
  at: Key[];
  read?: JsonValue;
  was?: JsonValue;
};

/** Adds the annotation to `old` if `back`, its conversion back to the hub, differs from `hub`. */
export function preserveLostFields(old: JsonObject, back: JsonObject, hub: JsonObject): JsonObject {
  const lost: LostField[] = [];
  collect(back, hub, [], lost);
  if (lost.length === 0) return old;
  const metadata = objectIn(old, 'metadata') ?? {};
  const annotations = { ...mapIn(metadata, 'annotations'), [lostFieldsAnnotation]: stringifyJson(lost) };
  return { ...old, metadata: { ...metadata, annotations } };
}

function collect(read: JsonValue | undefined, was: JsonValue | undefined, at: readonly Key[], lost: LostField[]): void {
  if (deepEqual(read, was)) return;
  if (isObject(read) && isObject(was)) {
    for (const key of new Set([...Object.keys(read), ...Object.keys(was)]))
      collect(member(read, key), member(was, key), [...at, key], lost);
  } else if (Array.isArray(read) && Array.isArray(was) && read.length === was.length) {
    for (let index = 0; index < read.length; index++) collect(read[index], was[index], [...at, index], lost);
  } else {
    lost.push({ at: [...at], ...(read !== undefined && { read }), ...(was !== undefined && { was }) });
  }
}

/** Restores into a copy of the hub what the annotation of the old version preserves. */
export function restoreLostFields(object: JsonObject, hub: JsonObject): JsonObject {
  const text = mapIn(objectIn(object, 'metadata'), 'annotations')[lostFieldsAnnotation];
  if (text === undefined) return hub;
  const restored = deepCopy(hub);
  removeAnnotation(restored);
  for (const field of parseLost(text)) restore(restored, field);
  return restored;
}

function removeAnnotation(hub: JsonObject): void {
  const annotations = objectIn(objectIn(hub, 'metadata'), 'annotations');
  delete annotations?.[lostFieldsAnnotation];
}

function restore(hub: JsonObject, { at, read, was }: LostField): void {
  const key = at.at(-1);
  const owner = at.slice(0, -1).reduce<JsonValue | undefined>(memberOf, hub);
  if (key === undefined || !deepEqual(memberOf(owner, key), read)) return;
  if (Array.isArray(owner) && typeof key === 'number' && was !== undefined) owner[key] = was;
  else if (isObject(owner) && was !== undefined) setKey(owner, String(key), was);
  else if (isObject(owner)) delete owner[String(key)];
}

function memberOf(owner: JsonValue | undefined, key: Key): JsonValue | undefined {
  if (Array.isArray(owner)) return typeof key === 'number' ? owner[key] : undefined;
  return isObject(owner) ? member(owner, String(key)) : undefined;
}

function member(owner: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(owner, key) ? owner[key] : undefined;
}

/** Empty if the annotation is not ours. */
function parseLost(text: string): readonly LostField[] {
  let fields: JsonValue;
  try {
    fields = parseJson(Buffer.from(text)).value;
  } catch {
    return [];
  }
  return Array.isArray(fields) ? fields.filter(isLostField) : [];
}

function isLostField(value: unknown): value is JsonValue & LostField {
  const { at } = (value ?? {}) as { at?: unknown };
  return Array.isArray(at) && at.every((key) => typeof key === 'string' || typeof key === 'number');
}
