import { StatusError } from '../errors/status-error.ts';
import { deepEqual, type JsonObject, withoutKey } from '../json/value.ts';
import { difference, type FieldSet, isEmptySet } from '../managed-fields/field-set.ts';
import { checkEntries, managedFieldsOf, storedOwners } from '../managed-fields/managed-fields.ts';
import { capManagers, isSameOwner, type Owner } from '../managed-fields/owners.ts';
import { strippedFields } from '../managed-fields/strip-meta.ts';
import { metadataOf } from '../meta/kube-object.ts';
import { fieldSetOf } from './compare.ts';
import {
  type Conflict,
  conflictError,
  conflictsIn,
  conflictsOutside,
  disown,
  lossesOf,
  VersionedComparison,
} from './conflicts.ts';
import { ConversionFailed, type FieldManager, type Versions } from './field-manager.ts';
import { kubectl, ownedByAnnotation, updateAnnotation } from './last-applied.ts';
import { mergeObjects } from './merge.ts';
import { prune } from './prune.ts';
import { reconciled } from './reconcile.ts';
import { ownersAfterUpdate } from './track-update.ts';

type Applied =
  | { readonly kind: 'conflicts'; readonly conflicts: readonly Conflict[] }
  /** `object` is `live` itself if nothing changed. */
  | { readonly kind: 'applied'; readonly object: JsonObject; readonly owners: readonly Owner[] };

/**
 * Server-side apply: the object with the configuration merged and managedFields updated, in the version of the field
 * manager. Without `live` the object is created. Throws 409 on conflicts, unless `force`, and 500 if the object cannot be
 * converted to a version in which a manager owns fields.
 */
export function trackApply(
  live: JsonObject | undefined,
  configuration: JsonObject,
  fieldManager: FieldManager,
  versions: Versions,
  force: boolean,
): JsonObject {
  const applied = withConversionErrors(() => {
    const before = withoutManagedFields(live ?? versions.empty(fieldManager.apiVersion));
    const owners = reconciled(ownersBeforeApply(live, before, fieldManager, versions), before, versions);
    const result = applyOrMigrate(before, configuration, owners, fieldManager, versions, force);
    if (result.kind === 'applied' && result.owners.length > owners.length) checkEntries(result.owners.length);
    return result;
  });
  if (applied.kind === 'conflicts') throw conflictError(applied.conflicts);
  const object = fieldManager.manager === kubectl ? updateAnnotation(applied.object, configuration) : applied.object;
  const managedFields = managedFieldsOf(applied.owners);
  return { ...object, metadata: { ...metadataOf(object), ...(managedFields && { managedFields }) } };
}

function withConversionErrors(run: () => Applied): Applied {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof ConversionFailed)) throw error;
    throw new StatusError({ status: 'Failure', message: error.message, code: 500 }, { cause: error });
  }
}

function withoutManagedFields(object: JsonObject): JsonObject {
  return { ...object, metadata: withoutKey(metadataOf(object), 'managedFields') };
}

/** Fields of an object without managedFields belong to `before-first-apply`. */
function ownersBeforeApply(
  live: JsonObject | undefined,
  before: JsonObject,
  fieldManager: FieldManager,
  versions: Versions,
): readonly Owner[] {
  const stored = live ? storedOwners(metadataOf(live)) : [];
  if (stored === undefined) throw StatusError.internalError('failed to decode managed fields');
  if (stored.length > 0 || live === undefined) return stored;
  const earlier = { ...fieldManager, manager: 'before-first-apply' };
  return capManagers(ownersAfterUpdate(versions.empty(fieldManager.apiVersion), before, [], earlier, versions));
}

/** Forces the apply if it conflicts only with fields of the last-applied annotation (client-side apply). */
function applyOrMigrate(
  live: JsonObject,
  configuration: JsonObject,
  owners: readonly Owner[],
  fieldManager: FieldManager,
  versions: Versions,
  force: boolean,
): Applied {
  const applied = applyConfiguration(live, configuration, owners, fieldManager, versions, force);
  if (applied.kind === 'applied' || fieldManager.manager !== kubectl) return applied;
  const conflicts = conflictsOutside(applied.conflicts, ownedByAnnotation(live, versions.mergeSchema(fieldManager.apiVersion)));
  if (conflicts.length > 0) return { kind: 'conflicts', conflicts };
  return applyConfiguration(live, configuration, owners, fieldManager, versions, true);
}

/** Merges an applied configuration into an object, both in the version of the field manager. Without `force`, fields of other managers stay unchanged. */
function applyConfiguration(
  live: JsonObject,
  configuration: JsonObject,
  owners: readonly Owner[],
  fieldManager: FieldManager,
  versions: Versions,
  force: boolean,
): Applied {
  const { apiVersion } = fieldManager;
  const schema = versions.mergeSchema(apiVersion);
  const known = ownersInKnownVersions(owners, live, versions);
  const last = known.find((owner) => isSameOwner(owner, applierOf(fieldManager)));
  const others = known.filter((owner) => owner !== last);
  const applied = versions.filter.of(fieldSetOf(configuration, schema));
  const claim: Owner = { ...applierOf(fieldManager), time: last?.time, fields: applied };
  const merged = mergeObjects(live, configuration, schema);
  const object = prune(merged, last, [...others, claim], apiVersion, versions);
  const { kept, losses } = lossesOf(others, new VersionedComparison(live, object, versions));
  const conflicts = force ? [] : conflictsIn(losses.filter(({ changed }) => !isEmptySet(changed)));
  if (conflicts.length > 0) return { kind: 'conflicts', conflicts };
  const unchanged = deepEqual(live, object);
  const own = ownEntry(claim, last, unchanged ? claim.time : fieldManager.time);
  return { kind: 'applied', object: unchanged ? live : object, owners: [...disown(kept, losses), ...own] };
}

/** Drops owners of unknown versions. Converts once per version, not once per owner. */
function ownersInKnownVersions(owners: readonly Owner[], live: JsonObject, versions: Versions): readonly Owner[] {
  const known = new Map<string, boolean>();
  return owners.filter(({ apiVersion }) => {
    const isInterned = known.get(apiVersion) ?? versions.convert(live, apiVersion) !== undefined;
    known.set(apiVersion, isInterned);
    return isInterned;
  });
}

function applierOf({ manager, apiVersion, subresource }: FieldManager): Omit<Owner, 'fields' | 'time'> {
  return { manager, operation: 'Apply', apiVersion, subresource };
}

/** Re-applying the same fields keeps the stored set, whose text is interned. */
function ownEntry(claim: Owner, last: Owner | undefined, time: string | undefined): Owner[] {
  const fields: FieldSet = difference(claim.fields, strippedFields);
  if (isEmptySet(fields)) return [];
  const isSame = last !== undefined && deepEqual(fields, last.fields);
  return [{ ...claim, time, fields: isSame ? last.fields : fields }];
}
