import { StatusError } from '../errors/status-error.ts';
import { deepEqual } from '../json/equal.ts';
import { isObject } from '../json/object.ts';
import type { JsonObject, JsonValue } from '../schema/type.ts';
import type { FieldSet } from './field-set.ts';
import { readFields } from './fields-v1.ts';
import { knownRecord, recordOf } from './known-record.ts';
import { lastOfEach, type Owner } from './owners.ts';

/** Entries that this server wrote; undefined if one of them cannot be read after all. */
export function storedOwners(metadata: JsonObject): readonly Owner[] | undefined {
  return knownRecord(metadata.managedFields)?.owners ?? ownersIn(metadata, storedOwner);
}

/** Entries of managedFields in one object. Updates are merged down to ten; nothing merges those of appliers. */
const maxEntries = 1_000;

/** Entries as a client sent them; undefined if one of them cannot be read. Fails with 413 if there are too many. */
export function sentOwners(metadata: JsonObject): readonly Owner[] | undefined {
  if (Array.isArray(metadata.managedFields)) checkEntries(metadata.managedFields.length);
  return ownersIn(metadata, (entry) => readOwner(entry, readFields(entry.fieldsV1)));
}

export function checkEntries(count: number): void {
  if (count > maxEntries)
    throw StatusError.requestEntityTooLarge(`metadata.managedFields has ${count} entries, the limit is ${maxEntries}`);
}

function storedOwner(entry: JsonObject): Owner | undefined {
  const fields = entry.fieldsV1 ?? {};
  return isObject(fields) ? readOwner(entry, fields as unknown as FieldSet) : undefined;
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

function readOwner(entry: JsonObject, fields: FieldSet | undefined): Owner | undefined {
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
  return owners.length === 0 ? undefined : (recordOf(owners).entries as JsonObject[]);
}
