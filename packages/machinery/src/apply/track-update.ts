import { deepEqual } from '../json/equal.ts';
import type { JsonObject } from '../schema/type.ts';
import { capUpdaters } from './cap.ts';
import { disown, lossesOf, VersionedComparison } from './disown.ts';
import { difference, isEmptySet, noFields, union } from './field-set.ts';
import { asksForReset, entriesOf, isSameOwner, type Owner, sentOwners, storedOwners } from './owners.ts';
import { reconciled } from './reconcile.ts';
import { neverOwned } from './stripped.ts';
import type { Versions } from './versions.ts';

/** Who writes, and how. */
export interface Writer {
  readonly manager: string;
  /** The version the write was sent in. */
  readonly apiVersion: string;
  readonly subresource: string;
  /** As metav1.Time is written; undefined if the time is not recorded. */
  readonly time: string | undefined;
}

/**
 * The record of who owns what once `next` has taken the place of `live`, both in the writer's version; undefined if none
 * is kept. Without `live`, the object is created.
 */
export function trackUpdate(
  live: JsonObject | undefined,
  next: JsonObject,
  writer: Writer,
  versions: Versions,
): JsonObject[] | undefined {
  const owners = reconciled(ownersBefore(live, next.metadata as JsonObject, writer.subresource !== ''), versions);
  // Of an object whose record was removed none is kept.
  if (live !== undefined && owners.length === 0) return undefined;
  const before = live ?? versions.empty(writer.apiVersion);
  return entriesOf(capUpdaters(ownersAfterUpdate(before, next, owners, writer, versions)));
}

/** A client may send another record than the stored one, but not a broken one, and not through a subresource. */
function ownersBefore(live: JsonObject | undefined, metadata: JsonObject, subresource: boolean): readonly Owner[] {
  const stored = () => (live ? storedOwners(live.metadata as JsonObject) : undefined) ?? [];
  if (subresource || metadata.managedFields === undefined) return stored();
  if (live && deepEqual(metadata.managedFields, (live.metadata as JsonObject).managedFields)) return stored();
  if (asksForReset(metadata)) return [];
  const sent = sentOwners(metadata);
  return sent === undefined || sent.length === 0 ? stored() : sent;
}

export function ownersAfterUpdate(
  before: JsonObject,
  after: JsonObject,
  owners: readonly Owner[],
  writer: Writer,
  versions: Versions,
): readonly Owner[] {
  const comparison = new VersionedComparison(before, after, versions);
  const { kept, losses } = lossesOf(owners, comparison);
  const fields = difference(comparison.in(writer.apiVersion)?.changed ?? noFields, neverOwned);
  if (isEmptySet(fields)) return disown(kept, losses);
  const { manager, apiVersion, subresource, time } = writer;
  const owner: Owner = { manager: manager || 'unknown', operation: 'Update', apiVersion, subresource, time, fields };
  const previous = kept.find((candidate) => isSameOwner(candidate, owner));
  if (previous === undefined) return [...disown(kept, losses), owner];
  const removed = losses.find((loss) => loss.owner === previous)?.removed ?? noFields;
  const others = kept.filter((candidate) => candidate !== previous);
  return [...disown(others, losses), { ...previous, time, fields: union(difference(previous.fields, removed), fields) }];
}
