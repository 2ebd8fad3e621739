import type { JsonObject } from '../schema/type.ts';
import { difference, type FieldSet, intersection, isEmptySet, union, unionOfAll } from './field-set.ts';
import { withNamedFields } from './named-fields.ts';
import { isSameOwner, type Owner } from './owners.ts';
import { removePaths } from './remove.ts';
import { fieldSetOf } from './to-set.ts';
import { convertFor, inStep, type Versions } from './versions.ts';

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
  if (last === undefined || isEmptySet(last.fields)) return merged;
  const isStrict = versions.strict === true && owners.some((owner) => owner.apiVersion !== last.apiVersion);
  if (!isStrict && !givesUp(last, owners)) return merged;
  return inStep('failed to prune fields', () => pruned(merged, last, owners, apiVersion, versions));
}

function pruned(merged: JsonObject, last: Owner, owners: readonly Owner[], apiVersion: string, versions: Versions): JsonObject {
  const then = convertFor('failed to convert merged object to last applied version', merged, last.apiVersion, versions);
  if (then === undefined) return merged;
  const shape = versions.shape(last.apiVersion);
  const lastFields = withNamedFields(last.fields, shape);
  const removed = removePaths(then, lastFields, shape);
  const rest = inStep('failed add back owned items', () => addBackOwned(then, removed, last.apiVersion, owners, versions));
  const result = inStep('failed add back dangling items', () =>
    addBackDangling(then, rest, lastFields, last.apiVersion, versions),
  );
  return versions.convert(result, apiVersion) ?? merged;
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
  const sets = new Map<string, FieldSet[]>(owners.map(({ apiVersion }) => [apiVersion, []]));
  for (const { apiVersion, fields } of owners) sets.get(apiVersion)?.push(fields);
  const order = [...sets.keys()].sort((a, b) => Number(b === prunedIn) - Number(a === prunedIn));
  let rest = pruned;
  for (const apiVersion of order) {
    const owned = unionOfAll(sets.get(apiVersion) as FieldSet[]);
    rest = addBackIn(merged, rest, apiVersion, owned, versions);
  }
  return rest;
}

function addBackIn(merged: JsonObject, pruned: JsonObject, apiVersion: string, owned: FieldSet, versions: Versions): JsonObject {
  const whole = convertFor(`failed to convert merged object at version ${apiVersion}`, merged, apiVersion, versions);
  const rest = convertFor(`failed to convert pruned object at version ${apiVersion}`, pruned, apiVersion, versions);
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
  const rest = convertFor('failed to convert pruned object to last applied version', pruned, apiVersion, versions);
  if (rest === undefined) return merged;
  const shape = versions.shape(apiVersion);
  const named = (object: JsonObject) => withNamedFields(fieldSetOf(object, shape), shape);
  const gone = difference(named(merged), named(rest));
  return removePaths(merged, intersection(gone, lastFields), shape);
}
