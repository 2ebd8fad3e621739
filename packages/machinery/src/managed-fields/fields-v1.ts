import { sortKeys, stringifyJson } from '../json/stringify.ts';
import { isObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { RecentTexts } from '../text/recent-texts.ts';
import { type FieldSet, type MutableFieldSet, noFields, sortedSet } from './field-set.ts';
import { contentOf, keyElement, type PathElement, self } from './path-element.ts';

/** A set as a client wrote it, its elements in the one form that they are compared in. Undefined if it cannot be read. */
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

/** A path without anything below it needs no mark. */
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
 * Thousands of objects are written by few programs, so that few sets of fields are those of almost all entries: each is
 * read once. Known sets are frozen, and their text is at hand.
 */
const known = new RecentTexts<FieldSet>(512 * 1024);
const maxShared = 32 * 1024;
const texts = new WeakMap<FieldSet, string>();

/** The set with this text, which is in the form in which sets are stored. */
export function fieldsFromText(text: string): FieldSet {
  return known.get(text) ?? remember(text, JSON.parse(text) as FieldSet);
}

/** The same set in the order in which it is written, with a text. */
export function internFields(set: FieldSet): FieldSet {
  if (isInterned(set)) return set;
  const sorted = sortedSet(set);
  const text = stringifyJson(sorted as unknown as JsonObject);
  return known.get(text) ?? remember(text, sorted);
}

export function isInterned(set: FieldSet): boolean {
  return texts.has(set);
}

/** Only of sets that are known. */
export function textOfFields(set: FieldSet): string {
  return texts.get(set) as string;
}

function remember(text: string, set: FieldSet): FieldSet {
  // A set that is too large to be kept is shared with nobody.
  if (text.length <= maxShared) freeze(set);
  texts.set(set, text);
  known.set(text, set);
  return set;
}

function freeze(set: FieldSet): void {
  if (Object.isFrozen(set)) return;
  for (const element in set) freeze(set[element] as FieldSet);
  Object.freeze(set);
}
