import { BoundedCache, memoize } from '../cache/bounded-cache.ts';
import { stringifyJson } from '../json/stringify.ts';
import { deepEqual, getKey, isObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { isEmptySet } from '../managed-fields/field-set.ts';
import { contentOf, fieldElement, type PathElement, quoted, sortElements } from '../managed-fields/path-element.ts';
import { strippedMetadata, typeMeta } from '../managed-fields/strip-meta.ts';
import { isLeaf } from './compare.ts';
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

/** The FieldsV1 text of the fields that the creator of an object owns: `{}` for none, undefined if this fast path does not apply. */
export type CreatedFields = (object: JsonObject) => string | undefined;

const writersOf = memoize((_versions: Versions) => new Map<string, CreatedFields>());

/**
 * Fast path for creation, the most frequent write: writes FieldsV1 in one pass over the object instead of comparing it
 * with the zero object. quick.test.ts compares both.
 */
export function createdFields(versions: Versions, apiVersion: string): CreatedFields {
  const writers = writersOf(versions);
  const writer = writers.get(apiVersion) ?? compileWriter(versions, apiVersion);
  writers.set(apiVersion, writer);
  return writer;
}

const notApplicable: CreatedFields = () => undefined;

function compileWriter(versions: Versions, apiVersion: string): CreatedFields {
  const { excluded } = versions.filter;
  if (excluded === undefined || !Object.values(excluded).every(isEmptySet) || !versions.knows(apiVersion)) return notApplicable;
  const [schema, empty] = [versions.mergeSchema(apiVersion), versions.empty(apiVersion)];
  if (!isPlain(empty, schema)) return notApplicable;
  const skipped = new Set([...typeMeta, ...Object.keys(excluded).map(contentOf)]);
  return (object) => {
    if (object.metadata === undefined || !hasPlainMetadata(object.metadata)) return undefined;
    const text = membersText(empty, object, schema, skipped);
    return text === '' ? '{}' : `{${text.slice(1)}}`;
  };
}

/** Whether the zero object contains only empty lists, typed objects and scalars. */
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

/** `,"f:a":{},"f:b":{}`: the members of `after` that are new or changed compared with `before`. */
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

/** A member of an object schema, with its path element as JSON. */
interface Member {
  readonly json: string;
  readonly schema: MergeSchema;
  readonly isAtomic: boolean;
  /** The text of the member as a leaf. */
  readonly text: string;
}

/** The members of the declared fields. */
const membersOf = memoize(
  ({ fields }: ObjectMergeSchema) => new Map<string, Member>([...fields].map(([key, of]) => [key, memberOf(key, of)])),
);

function unnamed(key: string, schema: ObjectMergeSchema): Member {
  return memberOf(key, schema.of ?? anySchema);
}

function memberOf(key: string, schema: MergeSchema): Member {
  const json = quoted(fieldElement(key));
  return { json, schema, isAtomic: schema.is !== 'deduced' && isAtomic(schema), text: `,${json}:{}` };
}

/** A new value is owned with everything below it; `.` marks the container itself. */
function added(value: JsonValue, given: MergeSchema): string {
  const schema = deduceSchema(given, value);
  if (isAtomic(schema)) return '{}';
  const text = partsText(undefined, value, schema as ObjectMergeSchema | ListMergeSchema);
  return text === '' ? '{}' : `{".":{}${text}}`;
}

function changed(before: JsonValue, after: JsonValue, schema: MergeSchema, isMetadata?: boolean): string | undefined {
  if (before === after) return undefined;
  if (isAtomic(schema) || (isLeaf(before) && isLeaf(after))) return deepEqual(before, after) ? undefined : '{}';
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

/** Duplicate items share one path element. */
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

/** Path elements of list items repeat in many objects. */
const jsonOfElements = new BoundedCache<string, string>({
  entries: 8_192,
  bytes: 128 * 1024,
  sizeOf: (_json, element) => element.length,
});

function jsonOf(element: PathElement): string {
  let json = jsonOfElements.get(element);
  if (json === undefined) {
    json = stringifyJson(element);
    jsonOfElements.set(element, json);
  }
  return json;
}

/** Insertion sort is faster than Array.sort for few keys. */
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
