import { deepEqual } from '../json/equal.ts';
import { isObject } from '../json/object.ts';
import { stringifyJson } from '../json/stringify.ts';
import type { JsonObject, JsonValue } from '../schema/type.ts';
import { type FieldSet, sortedSet } from './field-set.ts';
import { readFields } from './fields-v1.ts';

export type Operation = 'Apply' | 'Update';

/** One entry of managedFields: what somebody owns in one version, by one way of writing. */
export interface Owner {
  readonly manager: string;
  readonly operation: Operation;
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string | undefined;
  readonly fields: FieldSet;
  /** The entry as it is stored, where it is; its fields are in their order. */
  readonly entry?: JsonObject | undefined;
}

/** Whether two entries are of the same owner. Who applies is the same in every version. */
export function isSameOwner(a: Owner, b: Omit<Owner, 'fields' | 'time'>): boolean {
  return (
    a.manager === b.manager &&
    a.operation === b.operation &&
    a.subresource === b.subresource &&
    (a.operation === 'Apply' || a.apiVersion === b.apiVersion)
  );
}

/** A text that is the same for the same owner, and gives owners the order in which messages name them. */
export function ownerText({ manager, operation, apiVersion, subresource }: Owner): string {
  return stringifyJson({
    ...(manager !== '' && { manager }),
    operation,
    ...(operation === 'Update' && { apiVersion }),
    ...(subresource !== '' && { subresource }),
  });
}

/** Entries that this server wrote; undefined if one of them cannot be read after all. */
export function storedOwners(metadata: JsonObject): readonly Owner[] | undefined {
  return ownersIn(metadata, storedOwner);
}

/** Entries as a client sent them; undefined if one of them cannot be read. */
export function sentOwners(metadata: JsonObject): readonly Owner[] | undefined {
  return ownersIn(metadata, (entry) => readOwner(entry, readFields(entry.fieldsV1), undefined));
}

function storedOwner(entry: JsonObject): Owner | undefined {
  const fields = entry.fieldsV1 ?? {};
  return isObject(fields) ? readOwner(entry, fields as unknown as FieldSet, entry) : undefined;
}

function ownersIn(metadata: JsonObject, read: (entry: JsonObject) => Owner | undefined): readonly Owner[] | undefined {
  const entries = metadata.managedFields;
  if (!Array.isArray(entries)) return [];
  const owners: Owner[] = [];
  for (const entry of entries) {
    const owner = isObject(entry) ? read(entry) : undefined;
    if (owner === undefined) return undefined;
    owners.push(owner);
  }
  return lastOfEach(owners);
}

/** Where the same owner has several entries, only the last counts. */
function lastOfEach(owners: readonly Owner[]): readonly Owner[] {
  const isLast = (owner: Owner, i: number) => !owners.some((other, j) => j > i && isSameOwner(other, owner));
  return owners.every(isLast) ? owners : owners.filter(isLast);
}

function readOwner(entry: JsonObject, fields: FieldSet | undefined, stored: JsonObject | undefined): Owner | undefined {
  const { manager, operation, apiVersion, subresource, time, fieldsType } = entry;
  if (operation !== 'Apply' && operation !== 'Update') return undefined;
  if (typeof apiVersion !== 'string' || apiVersion === '' || fieldsType !== 'FieldsV1' || fields === undefined) return undefined;
  return {
    manager: textOr(manager, ''),
    operation,
    apiVersion,
    subresource: textOr(subresource, ''),
    time: textOr(time, undefined),
    fields,
    entry: stored,
  };
}

function textOr<T>(value: JsonValue | undefined, otherwise: T): string | T {
  return typeof value === 'string' ? value : otherwise;
}

/** `managedFields: []` and `[{}]` ask that nobody own anything any more. */
export function asksForReset(metadata: JsonObject): boolean {
  const entries = metadata.managedFields;
  if (!Array.isArray(entries) || entries.length > 1) return false;
  return entries.length === 0 || deepEqual(entries[0], {});
}

/** The entries in their order; undefined if there are none. */
export function entriesOf(owners: readonly Owner[]): JsonObject[] | undefined {
  return owners.length === 0 ? undefined : [...owners].sort(compareOwners).map(entryOf);
}

function entryOf({ manager, operation, apiVersion, subresource, time, fields, entry: stored }: Owner): JsonObject {
  const inOrder = stored !== undefined && stored.fieldsV1 === (fields as unknown);
  if (inOrder && stored.time === time) return stored;
  const entry: JsonObject = manager === '' ? { operation, apiVersion } : { manager, operation, apiVersion };
  if (time !== undefined) entry.time = time;
  entry.fieldsType = 'FieldsV1';
  entry.fieldsV1 = (inOrder ? fields : sortedSet(fields)) as unknown as JsonObject;
  if (subresource !== '') entry.subresource = subresource;
  return entry;
}

/** Times are all written in the same form, so that they are in the order of their text. */
function compareOwners(a: Owner, b: Owner): number {
  return (
    compareText(a.operation, b.operation) ||
    compareText(a.time ?? '', b.time ?? '') ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
