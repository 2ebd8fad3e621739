import { isObject } from '../json/object.ts';
import { sortKeys } from '../json/sort-keys.ts';
import { stringifyJson } from '../json/stringify.ts';
import type { JsonObject, JsonValue } from '../schema/type.ts';
import { type FieldSet, type MutableFieldSet, noFields } from './field-set.ts';
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
