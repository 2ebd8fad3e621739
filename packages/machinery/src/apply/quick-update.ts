import type { JsonObject } from '../json/value.ts';
import { hasPath } from '../managed-fields/field-set.ts';
import { type ManagedFieldsRecord, recordOfOwners } from '../managed-fields/managed-fields.ts';
import { isSameOwner, type Owner } from '../managed-fields/owners.ts';
import type { FieldFilter, FieldManager, Versions } from './field-manager.ts';
import { isReconciled } from './reconcile.ts';
import { type ChangeVisitor, type WalkPath, walkChanges } from './walk-changes.ts';

/** Every owner is asked about each changed field. */
const maxOwners = 32;

/**
 * Fast path for updates that change no ownership, which most are: the same program writes new values to the same fields.
 * Returns the entries with at most a new time; undefined if one pass over both objects does not prove that.
 */
export function quickUpdate(
  live: JsonObject,
  next: JsonObject,
  record: ManagedFieldsRecord,
  fieldManager: FieldManager,
  versions: Versions,
): JsonObject[] | undefined {
  const { apiVersion } = fieldManager;
  if (record.owners.length > maxOwners) return undefined;
  if (!record.settled || live.apiVersion !== apiVersion || next.apiVersion !== apiVersion) return undefined;
  const schema = versions.knows(apiVersion) ? versions.mergeSchema(apiVersion) : undefined;
  const isPlain = (owner: Owner) => owner.apiVersion === apiVersion && schema !== undefined && isReconciled(owner.fields, schema);
  if (schema === undefined || !record.owners.every(isPlain)) return undefined;
  const identity = {
    manager: fieldManager.manager || 'unknown',
    operation: 'Update',
    apiVersion,
    subresource: fieldManager.subresource,
  } as const;
  const own = record.owners.find((owner) => isSameOwner(owner, identity));
  const check = new OwnershipCheck(record.owners, own, versions.filter);
  if (!walkChanges(live, next, schema, check)) return undefined;
  return own && check.touched && own.time !== fieldManager.time ? retimed(record, own, fieldManager.time) : record.entries;
}

function retimed({ owners }: ManagedFieldsRecord, own: Owner, time: string | undefined): JsonObject[] {
  return recordOfOwners(owners.map((owner) => (owner === own ? { ...own, time } : owner))).entries;
}

/**
 * Ends the walk at the first path whose ownership changes. None does if every changed path is owned by the field manager alone,
 * and no removed path is owned: quick.test.ts compares the result with that of the field sets.
 */
class OwnershipCheck implements ChangeVisitor {
  readonly sorted = false;
  /** Whether a field of the manager changed. */
  touched = false;
  readonly #owners: readonly Owner[];
  readonly #own: Owner | undefined;
  readonly #filter: FieldFilter;

  constructor(owners: readonly Owner[], own: Owner | undefined, filter: FieldFilter) {
    this.#owners = owners;
    this.#own = own;
    this.#filter = filter;
  }

  enter(path: WalkPath): boolean {
    return !this.#filter.excludes(path);
  }

  leave(): void {}

  changed(path: WalkPath): boolean {
    if (!this.#filter.owns(path)) return true;
    if (this.#own === undefined) return false;
    for (const owner of this.#owners) if (hasPath(owner.fields, path) !== (owner === this.#own)) return false;
    this.touched = true;
    return true;
  }

  removed(path: WalkPath): boolean {
    return this.#filter.excludes(path) || !this.#owners.some(({ fields }) => hasPath(fields, path));
  }
}
