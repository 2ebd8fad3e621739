import { stringifyJson } from '../json/stringify.ts';
import { deepEqual, getKey, isObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { isEmptySet } from '../managed-fields/field-set.ts';
import { contentOf, fieldElement, type PathElement, quoted, sortElements } from '../managed-fields/path-element.ts';
import { strippedMetadata, typeMeta } from '../managed-fields/strip-meta.ts';
import { RecentTexts } from '../text/recent-texts.ts';
import type { Versions } from './field-manager.ts';
import { itemsByElement, tryElement } from './list-items.ts';
import {
  anySchema,
  deduceSchema,
  isAtomic,
  type ListMergeSchema,
  type MergeSchema,
  memberSchema,
  type ObjectMergeSchema,
} from './merge-schema.ts';

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
  const { excluded } = versions.filter;
  if (excluded === undefined || !Object.values(excluded).every(isEmptySet) || !versions.knows(apiVersion)) return cannotTell;
  const [schema, empty] = [versions.mergeSchema(apiVersion), versions.empty(apiVersion)];
  if (!isPlain(empty, schema)) return cannotTell;
  const skipped = new Set([...typeMeta, ...Object.keys(excluded).map(contentOf)]);
  return (object) => {
    if (object.metadata === undefined || !hasPlainMetadata(object.metadata)) return undefined;
    const text = membersText(empty, object, schema, skipped);
    return text === '' ? '{}' : `{${text.slice(1)}}`;
  };
}

/** Whether all there is before anything is said of an object has a type, and nothing in it. */
function isPlain(value: JsonValue, schema: MergeSchema): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (!isObject(value)) return true;
  if (schema.is !== 'object') return false;
  return Object.keys(value).every((key) => isPlain(value[key] as JsonValue, memberSchema(schema, key) ?? anySchema));
}

function hasPlainMetadata(metadata: JsonValue): boolean {
  if (!isObject(metadata) || metadata.managedFields !== undefined) return false;
  for (const key in metadata) {
    const value = metadata[key];
    if (typeof value === 'object' && value !== null && strippedMetadata.has(key)) return false;
  }
  return true;
}

/** `,"f:a":{},"f:b":{}`: what is in `after` and not, or not so, in `before`. */
function membersText(
  before: JsonObject | undefined,
  after: JsonObject,
  schema: ObjectMergeSchema,
  skipped?: ReadonlySet<string>,
): string {
  const members = membersOf(schema);
  let text = '';
  for (const key of sortedKeys(after)) {
    const value = after[key];
    const member = members.get(key) ?? unnamed(key, schema);
    if (value === undefined || skipped?.has(key)) continue;
    const old = before && getKey(before, key);
    if (old === undefined) text += member.isAtomic ? member.text : `,${member.json}:${added(value, member.schema)}`;
    else {
      const part = changed(old, value, member.schema, skipped !== undefined && key === 'metadata');
      if (part !== undefined) text += `,${member.json}:${part}`;
    }
  }
  return text;
}

/** What is known of what is under a key. */
interface Member {
  readonly json: string;
  readonly schema: MergeSchema;
  readonly isAtomic: boolean;
  /** That it is there and nothing below it. */
  readonly text: string;
}

const named = new WeakMap<ObjectMergeSchema, Map<string, Member>>();

/** Of the fields that a type names. */
function membersOf(schema: ObjectMergeSchema): Map<string, Member> {
  let members = named.get(schema);
  if (members === undefined) {
    members = new Map([...schema.fields].map(([key, of]) => [key, memberOf(key, of)]));
    named.set(schema, members);
  }
  return members;
}

function unnamed(key: string, schema: ObjectMergeSchema): Member {
  return memberOf(key, schema.of ?? anySchema);
}

function memberOf(key: string, schema: MergeSchema): Member {
  const json = quoted(fieldElement(key));
  return { json, schema, isAtomic: schema.is !== 'deduced' && isAtomic(schema), text: `,${json}:{}` };
}

/** All that is new belongs to whoever adds it, and that it is there as well. */
function added(value: JsonValue, given: MergeSchema): string {
  const schema = deduceSchema(given, value);
  if (isAtomic(schema)) return '{}';
  const text = partsText(undefined, value, schema as ObjectMergeSchema | ListMergeSchema);
  return text === '' ? '{}' : `{".":{}${text}}`;
}

function changed(before: JsonValue, after: JsonValue, schema: MergeSchema, isMetadata?: boolean): string | undefined {
  if (before === after) return undefined;
  if (isAtomic(schema) || (isNothing(before) && isNothing(after))) return deepEqual(before, after) ? undefined : '{}';
  const text = partsText(before, after, schema as ObjectMergeSchema | ListMergeSchema, isMetadata ? strippedMetadata : undefined);
  return text === '' ? undefined : `{${text.slice(1)}}`;
}

function partsText(
  before: JsonValue | undefined,
  value: JsonValue,
  schema: ObjectMergeSchema | ListMergeSchema,
  skipped?: ReadonlySet<string>,
): string {
  if (schema.is === 'list') return Array.isArray(value) ? itemsText(value, schema) : '';
  return isObject(value) ? membersText(isObject(before) ? before : undefined, value, schema, skipped) : '';
}

/** Items that cannot be told apart are one thing. */
function itemsText(list: readonly JsonValue[], schema: ListMergeSchema): string {
  if (list.length === 1) return itemText(tryElement(list[0] as JsonValue, schema), list, schema);
  let text = '';
  const items = itemsByElement(list, schema);
  for (const element of sortElements([...items.keys()])) text += itemText(element, items.get(element) as JsonValue[], schema);
  return text;
}

function itemText(element: PathElement | undefined, same: readonly JsonValue[], { of }: ListMergeSchema): string {
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

/** Nothing is below it, so that it is one thing whatever its schema. */
function isNothing(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;
}
