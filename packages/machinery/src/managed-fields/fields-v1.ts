import { BoundedCache } from '../cache/bounded-cache.ts';
import { sortKeys, stringifyJson } from '../json/stringify.ts';
import { isObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { type FieldSet, type MutableFieldSet, noFields, sortedSet } from './field-set.ts';
import { contentOf, keyElement, type PathElement, self } from './path-element.ts';

/** Decodes FieldsV1 sent by a client, with canonical path elements. Undefined if it is invalid. */
export function readFields(fields: JsonValue | undefined): FieldSet | undefined {
  if (fields === undefined || fields === null) return noFields;
  return isObject(fields) ? readPart(fields, true) : undefined;
}

function readPart(part: JsonObject, root: boolean): FieldSet | undefined {
  const read: MutableFieldSet = {};
  for (const key of Object.keys(part)) {
    const below = part[key] as JsonValue;
    if (!isObject(below)) return undefined;
    if (key === self) {
      if (!root) read[self] = {};
      continue;
    }
    const element = readElement(key);
    const set = element === undefined ? undefined : readPart(below, false);
    if (element === undefined || set === undefined) return undefined;
    read[element] = set as MutableFieldSet;
  }
  return onlySelf(read) ? noFields : read;
}

/** A leaf needs no `.`. */
function onlySelf(part: FieldSet): boolean {
  for (const element in part) if (element !== self) return false;
  return true;
}

function readElement(key: string): PathElement | undefined {
  if (key[1] !== ':') return undefined;
  switch (key[0]) {
    case 'f':
      return key;
    case 'i':
      return /^[+-]?\d{1,15}$/.test(contentOf(key)) ? `i:${Number(contentOf(key))}` : undefined;
    case 'k':
    case 'v':
      return readJsonElement(key);
    default:
      return undefined;
  }
}

function readJsonElement(key: string): PathElement | undefined {
  try {
    const value = JSON.parse(contentOf(key)) as JsonValue;
    if (key[0] === 'v') return `v:${stringifyJson(value)}`;
    return isObject(value) ? keyElement(sortKeys(value) as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Interned field sets. Few programs write most objects, so few sets occur in almost all entries, and each is parsed once.
 * An interned set is frozen and has its text in `texts`; a WeakMap, because the text must not appear in the set itself.
 */
const interned = new BoundedCache<string, FieldSet>({
  entries: 16_384,
  bytes: 1024 * 1024,
  sizeOf: (_set, text) => text.length,
});
const maxShared = 32 * 1024;
const texts = new WeakMap<FieldSet, string>();

/** Parses the stored form of a set, interned. */
export function fieldsFromText(text: string): FieldSet {
  return interned.get(text) ?? intern(text, JSON.parse(text) as FieldSet);
}

/** The interned set that equals this one, in the order of FieldsV1. */
export function internFields(set: FieldSet): FieldSet {
  if (isInterned(set)) return set;
  const sorted = sortedSet(set);
  const text = stringifyJson(sorted);
  return interned.get(text) ?? intern(text, sorted);
}

export function isInterned(set: FieldSet): boolean {
  return texts.has(set);
}

/** The text of an interned set. */
export function textOfFields(set: FieldSet): string {
  return texts.get(set) as string;
}

function intern(text: string, set: FieldSet): FieldSet {
  texts.set(set, text);
  // A large set keeps its text but is not shared, so it need not be frozen.
  if (text.length > maxShared) return set;
  freeze(set);
  interned.set(text, set);
  return set;
}

function freeze(set: FieldSet): void {
  if (Object.isFrozen(set)) return;
  for (const element in set) freeze(set[element] as FieldSet);
  Object.freeze(set);
}
