import { deepEqual, type JsonObject } from '../json/value.ts';
import { difference, type FieldSet, isEmptySet, noFields, union } from '../managed-fields/field-set.ts';
import { fieldsFromText } from '../managed-fields/fields-v1.ts';
import { internedRecord, managedFieldsOf, requestsReset, sentOwners, storedOwners } from '../managed-fields/managed-fields.ts';
import { capManagers, isSameOwner, type Owner } from '../managed-fields/owners.ts';
import { strippedFields } from '../managed-fields/strip-meta.ts';
import { disown, lossesOf, VersionedComparison } from './conflicts.ts';
import { createdFields } from './created-fields.ts';
import { ConversionFailed, type FieldManager, type Versions } from './field-manager.ts';
import { quickUpdate } from './quick-update.ts';
import { reconciled } from './reconcile.ts';

/**
 * The record of who owns what once `next` has taken the place of `live`, both in the writer's version; undefined if none
 * is kept. Without `live`, the object is created.
 */
export function trackUpdate(
  live: JsonObject | undefined,
  next: JsonObject,
  writer: FieldManager,
  versions: Versions,
): JsonObject[] | undefined {
  if (live === undefined) return trackCreation(next, writer, versions) ?? trackOrForget(live, next, false, writer, versions);
  const keepsStored = saysNothing(live.metadata as JsonObject, next.metadata as JsonObject, writer);
  const record = keepsStored ? internedRecord((live.metadata as JsonObject).managedFields) : undefined;
  const quick = record && quickUpdate(live, next, record, writer, versions);
  return quick ? (quick as JsonObject[]) : trackOrForget(live, next, keepsStored, writer, versions);
}

/** A record that names versions which cannot show the object is removed. */
function trackOrForget(...change: Parameters<typeof trackFully>): JsonObject[] | undefined {
  try {
    return trackFully(...change);
  } catch (error) {
    if (error instanceof ConversionFailed) return undefined;
    throw error;
  }
}

/** Undefined if it cannot tell, or if there is nothing to tell. */
function trackCreation(object: JsonObject, writer: FieldManager, versions: Versions): JsonObject[] | undefined {
  const text = createdFields(versions, writer.apiVersion)(object);
  return text === undefined || text === '{}' ? undefined : managedFieldsOf([updater(writer, fieldsFromText(text))]);
}

/** Whether a client leaves the stored record alone. Through a subresource it has to. */
function saysNothing({ managedFields: stored }: JsonObject, { managedFields: sent }: JsonObject, writer: FieldManager): boolean {
  return writer.subresource !== '' || sent === undefined || deepEqual(sent, stored);
}

/** The same, whatever the update is, by comparing sets of paths. */
export function trackFully(
  live: JsonObject | undefined,
  next: JsonObject,
  keepsStored: boolean,
  writer: FieldManager,
  versions: Versions,
): JsonObject[] | undefined {
  const before = live ?? versions.empty(writer.apiVersion);
  const recorded = ownersBefore(live, next.metadata as JsonObject, keepsStored || writer.subresource !== '');
  const owners = reconciled(recorded, before, versions);
  // Of an object whose record was removed none is kept.
  if (live !== undefined && owners.length === 0) return undefined;
  return managedFieldsOf(capManagers(ownersAfterUpdate(before, next, owners, writer, versions)));
}

/** A client may send another record than the stored one, but not a broken one. */
function ownersBefore(live: JsonObject | undefined, metadata: JsonObject, keepsStored: boolean): readonly Owner[] {
  const stored = () => (live ? storedOwners(live.metadata as JsonObject) : undefined) ?? [];
  if (keepsStored || metadata.managedFields === undefined) return stored();
  if (requestsReset(metadata)) return [];
  const sent = sentOwners(metadata);
  return sent === undefined || sent.length === 0 ? stored() : sent;
}

export function ownersAfterUpdate(
  before: JsonObject,
  after: JsonObject,
  owners: readonly Owner[],
  writer: FieldManager,
  versions: Versions,
): readonly Owner[] {
  const comparison = new VersionedComparison(before, after, versions);
  const { kept, losses } = lossesOf(owners, comparison);
  const fields = difference(comparison.in(writer.apiVersion)?.changed ?? noFields, strippedFields);
  if (isEmptySet(fields)) return disown(kept, losses);
  const owner = updater(writer, fields);
  const previous = kept.find((candidate) => isSameOwner(candidate, owner));
  if (previous === undefined) return [...disown(kept, losses), owner];
  const removed = losses.find((loss) => loss.owner === previous)?.removed ?? noFields;
  const others = kept.filter((candidate) => candidate !== previous);
  return [
    ...disown(others, losses),
    { ...previous, time: writer.time, fields: union(difference(previous.fields, removed), fields) },
  ];
}

function updater({ manager, apiVersion, subresource, time }: FieldManager, fields: FieldSet): Owner {
  return { manager: manager || 'unknown', operation: 'Update', apiVersion, subresource, time, fields };
}
