import type { JsonObject } from '../schema/type.ts';
import { difference, type FieldSet, intersection, isEmptySet, union } from './field-set.ts';
import { withNamedFields } from './named-fields.ts';
import { isSameOwner, type Owner } from './owners.ts';
import { removePaths } from './remove.ts';
import { fieldSetOf } from './to-set.ts';
import type { Versions } from './versions.ts';

/**
 * Takes from a merged object what its applier owned until now and neither it nor anybody else owns any more. The result
 * is in the version that `merged` is in. `owners` includes the applier with what it owns from now on.
 */
export function prune(
  merged: JsonObject,
  last: Owner | undefined,
  owners: readonly Owner[],
  apiVersion: string,
  versions: Versions,
): JsonObject {
  if (last === undefined || !givesUp(last, owners)) return merged;
  const then = versions.convert(merged, last.apiVersion);
  if (then === undefined) return merged;
  const shape = versions.shape(last.apiVersion);
  const lastFields = withNamedFields(last.fields, shape);
  const rest = addBackOwned(then, removePaths(then, lastFields, shape), last.apiVersion, owners, versions);
  const pruned = addBackDangling(then, rest, lastFields, last.apiVersion, versions);
  return versions.convert(pruned, apiVersion) ?? merged;
}

/** Whether an applier owned anything that it does not own from now on. */
function givesUp(last: Owner, owners: readonly Owner[]): boolean {
  const now = owners.find((owner) => isSameOwner(owner, last));
  if (now === undefined || now.apiVersion !== last.apiVersion) return !isEmptySet(last.fields);
  return !isEmptySet(difference(last.fields, now.fields));
}

/** Gives back what somebody owns, in the versions in which they own it: the one that was pruned in comes first. */
function addBackOwned(
  merged: JsonObject,
  pruned: JsonObject,
  prunedIn: string,
  owners: readonly Owner[],
  versions: Versions,
): JsonObject {
  const owned = new Map<string, FieldSet>();
  for (const { apiVersion, fields } of owners) owned.set(apiVersion, union(owned.get(apiVersion) ?? {}, fields));
  const order = [...owned.keys()].sort((a, b) => Number(b === prunedIn) - Number(a === prunedIn));
  let rest = pruned;
  for (const apiVersion of order) rest = addBackIn(merged, rest, apiVersion, owned.get(apiVersion) as FieldSet, versions);
  return rest;
}

function addBackIn(merged: JsonObject, pruned: JsonObject, apiVersion: string, owned: FieldSet, versions: Versions): JsonObject {
  const [whole, rest] = [versions.convert(merged, apiVersion), versions.convert(pruned, apiVersion)];
  if (whole === undefined || rest === undefined) return pruned;
  const shape = versions.shape(apiVersion);
  const named = (set: FieldSet) => withNamedFields(set, shape);
  const kept = union(named(fieldSetOf(rest, shape)), named(owned));
  return removePaths(whole, difference(named(fieldSetOf(whole, shape)), kept), shape);
}

/** Gives back what the applier did not own either. */
function addBackDangling(
  merged: JsonObject,
  pruned: JsonObject,
  lastFields: FieldSet,
  apiVersion: string,
  versions: Versions,
): JsonObject {
  const rest = versions.convert(pruned, apiVersion);
  if (rest === undefined) return merged;
  const shape = versions.shape(apiVersion);
  const named = (object: JsonObject) => withNamedFields(fieldSetOf(object, shape), shape);
  const gone = difference(named(merged), named(rest));
  return removePaths(merged, intersection(gone, lastFields), shape);
}
