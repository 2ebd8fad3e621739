import { stringifyJson } from '../json/stringify.ts';
import { deepEqual, getKey, isObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { isEmptySet } from '../managed-fields/field-set.ts';
import { contentOf, fieldElement, type PathElement, quoted, sortElements } from '../managed-fields/path-element.ts';
import { serverMetadata, typeMeta } from '../managed-fields/strip-meta.ts';
import { RecentTexts } from '../text/recent-texts.ts';
import type { Versions } from './field-manager.ts';
import { itemsByElement, tryElement } from './list-items.ts';
import { anyShape, isWhole, type ListShape, memberShape, type ObjectShape, type Shape, shapeFor } from './merge-schema.ts';

/** Writes what belongs to whoever creates an object, as it is stored: `{}` if nothing does; undefined if it cannot tell. */
export type CreatedFields = (object: JsonObject) => string | undefined;

const known = new WeakMap<Versions, Map<string, CreatedFields>>();

/** In one pass over the object, instead of comparing it to one of which nothing is said yet. */
export function createdFields(versions: Versions, apiVersion: string): CreatedFields {
  const byVersion = known.get(versions) ?? new Map<string, CreatedFields>();
  known.set(versions, byVersion);
  const writer = byVersion.get(apiVersion) ?? writerOf(versions, apiVersion);
  byVersion.set(apiVersion, writer);
  return writer;
}

const cannotTell: CreatedFields = () => undefined;

function writerOf(versions: Versions, apiVersion: string): CreatedFields {
  const { allBut } = versions.ownable;
  if (allBut === undefined || !Object.values(allBut).every(isEmptySet) || !versions.knows(apiVersion)) return cannotTell;
  const [shape, empty] = [versions.shape(apiVersion), versions.empty(apiVersion)];
  if (!isPlain(empty, shape)) return cannotTell;
  const skipped = new Set([...typeMeta, ...Object.keys(allBut).map(contentOf)]);
  return (object) => {
    if (object.metadata === undefined || !hasPlainMetadata(object.metadata)) return undefined;
    const text = membersText(empty, object, shape, skipped);
    return text === '' ? '{}' : `{${text.slice(1)}}`;
  };
}

/** Whether all there is before anything is said of an object has a type, and nothing in it. */
function isPlain(value: JsonValue, shape: Shape): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (!isObject(value)) return true;
  if (shape.is !== 'object') return false;
  return Object.keys(value).every((key) => isPlain(value[key] as JsonValue, memberShape(shape, key) ?? anyShape));
}

function hasPlainMetadata(metadata: JsonValue): boolean {
  if (!isObject(metadata) || metadata.managedFields !== undefined) return false;
  for (const key in metadata) {
    const value = metadata[key];
    if (typeof value === 'object' && value !== null && serverMetadata.has(key)) return false;
  }
  return true;
}

/** `,"f:a":{},"f:b":{}`: what is in `after` and not, or not so, in `before`. */
function membersText(
  before: JsonObject | undefined,
  after: JsonObject,
  shape: ObjectShape,
  skipped?: ReadonlySet<string>,
): string {
  const members = membersOf(shape);
  let text = '';
  for (const key of sortedKeys(after)) {
    const value = after[key];
    const member = members.get(key) ?? unnamed(key, shape);
    if (value === undefined || skipped?.has(key)) continue;
    const old = before && getKey(before, key);
    if (old === undefined) text += member.isWhole ? member.text : `,${member.json}:${added(value, member.shape)}`;
    else {
      const part = changed(old, value, member.shape, skipped !== undefined && key === 'metadata');
      if (part !== undefined) text += `,${member.json}:${part}`;
    }
  }
  return text;
}

/** What is known of what is under a key. */
interface Member {
  readonly json: string;
  readonly shape: Shape;
  readonly isWhole: boolean;
  /** That it is there and nothing below it. */
  readonly text: string;
}

const named = new WeakMap<ObjectShape, Map<string, Member>>();

/** Of the fields that a type names. */
function membersOf(shape: ObjectShape): Map<string, Member> {
  let members = named.get(shape);
  if (members === undefined) {
    members = new Map([...shape.fields].map(([key, of]) => [key, memberOf(key, of)]));
    named.set(shape, members);
  }
  return members;
}

function unnamed(key: string, shape: ObjectShape): Member {
  return memberOf(key, shape.of ?? anyShape);
}

function memberOf(key: string, shape: Shape): Member {
  const json = quoted(fieldElement(key));
  return { json, shape, isWhole: shape.is !== 'deduced' && isWhole(shape), text: `,${json}:{}` };
}

/** All that is new belongs to whoever adds it, and that it is there as well. */
function added(value: JsonValue, given: Shape): string {
  const shape = shapeFor(given, value);
  if (isWhole(shape)) return '{}';
  const text = partsText(undefined, value, shape as ObjectShape | ListShape);
  return text === '' ? '{}' : `{".":{}${text}}`;
}

function changed(before: JsonValue, after: JsonValue, shape: Shape, isMetadata?: boolean): string | undefined {
  if (before === after) return undefined;
  if (isWhole(shape) || (isNothing(before) && isNothing(after))) return deepEqual(before, after) ? undefined : '{}';
  const text = partsText(before, after, shape as ObjectShape | ListShape, isMetadata ? serverMetadata : undefined);
  return text === '' ? undefined : `{${text.slice(1)}}`;
}

function partsText(
  before: JsonValue | undefined,
  value: JsonValue,
  shape: ObjectShape | ListShape,
  skipped?: ReadonlySet<string>,
): string {
  if (shape.is === 'list') return Array.isArray(value) ? itemsText(value, shape) : '';
  return isObject(value) ? membersText(isObject(before) ? before : undefined, value, shape, skipped) : '';
}

/** Items that cannot be told apart are one thing. */
function itemsText(list: readonly JsonValue[], shape: ListShape): string {
  if (list.length === 1) return itemText(tryElement(list[0] as JsonValue, shape), list, shape);
  let text = '';
  const items = itemsByElement(list, shape);
  for (const element of sortElements([...items.keys()])) text += itemText(element, items.get(element) as JsonValue[], shape);
  return text;
}

function itemText(element: PathElement | undefined, same: readonly JsonValue[], { of }: ListShape): string {
  if (element === undefined) return '';
  return `,${jsonOf(element)}:${same.length === 1 ? added(same[0] as JsonValue, of) : '{}'}`;
}

/** The items of lists are called the same in many objects. */
const jsonOfElements = new RecentTexts<string>(64 * 1024);

function jsonOf(element: PathElement): string {
  let json = jsonOfElements.get(element);
  if (json === undefined) {
    json = stringifyJson(element);
    jsonOfElements.set(element, json);
  }
  return json;
}

/** A handful of keys is sorted faster by hand. */
function sortedKeys(object: JsonObject): string[] {
  const keys = Object.keys(object);
  if (keys.length > 32) return keys.sort();
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i] as string;
    let at = i;
    for (; at > 0 && (keys[at - 1] as string) > key; at--) keys[at] = keys[at - 1] as string;
    keys[at] = key;
  }
  return keys;
}

/** Nothing is below it, so that it is one thing whatever its shape. */
function isNothing(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;
}
