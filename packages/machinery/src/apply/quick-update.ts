import { deepEqual, getKey, isObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { type FieldSet, hasPath, isMember } from '../managed-fields/field-set.ts';
import { type ManagedFieldsRecord, recordOfOwners } from '../managed-fields/managed-fields.ts';
import { isSameOwner, type Owner } from '../managed-fields/owners.ts';
import { fieldElement, type PathElement } from '../managed-fields/path-element.ts';
import { strippedMetadata, typeMeta } from '../managed-fields/strip-meta.ts';
import { isLeaf, listOrEmpty, type Maybe, objectOrEmpty } from './compare.ts';
import type { FieldManager, Versions } from './field-manager.ts';
import { tryElement } from './list-items.ts';
import {
  anySchema,
  deduceSchema,
  isAtomic,
  type ListMergeSchema,
  type MergeSchema,
  memberSchema,
  type ObjectMergeSchema,
} from './merge-schema.ts';
import { isReconciled } from './reconcile.ts';

/** The walk visits every owner for each changed field. */
const maxOwners = 32;

/**
 * Fast path for updates that change no ownership, which most are: the same program writes new values to the same fields.
 * Returns the entries with at most a new time; undefined if one pass over both objects cannot prove that.
 */
export function quickUpdate(
  live: JsonObject,
  next: JsonObject,
  record: ManagedFieldsRecord,
  fieldManager: FieldManager,
  versions: Versions,
): readonly JsonObject[] | undefined {
  const { apiVersion } = fieldManager;
  const { excluded } = versions.filter;
  if (record.owners.length > maxOwners) return undefined;
  if (!record.settled || excluded === undefined || live.apiVersion !== apiVersion || next.apiVersion !== apiVersion)
    return undefined;
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
  const walk = new UpdateWalk(record.owners, own);
  if (!walk.object(live, next, schema, excluded)) return undefined;
  return own && walk.touched && own.time !== fieldManager.time ? retimed(record, own, fieldManager.time) : record.entries;
}

function retimed({ owners }: ManagedFieldsRecord, own: Owner, time: string | undefined): readonly JsonObject[] {
  return recordOfOwners(owners.map((owner) => (owner === own ? { ...own, time } : owner))).entries;
}

/**
 * Checks in one pass that an update changes no ownership: every changed path is owned by its field manager alone, and
 * removed paths have no owner. The methods return false if they cannot prove it; true means that comparing whole field
 * sets would give the same (quick.test.ts).
 */
class UpdateWalk {
  /** Whether a field of the manager changed. */
  touched = false;
  readonly #owners: readonly Owner[];
  readonly #own: Owner | undefined;
  readonly #path: PathElement[] = [];

  constructor(owners: readonly Owner[], own: Owner | undefined) {
    this.#owners = owners;
    this.#own = own;
  }

  /** `reset` holds the paths that this kind of update cannot change. */
  object(before: JsonObject, after: JsonObject, schema: ObjectMergeSchema, reset: FieldSet): boolean {
    return this.#members(before, after, schema, reset, typeMeta);
  }

  /** Keys in `unowned` are never owned. */
  #members(
    before: JsonObject,
    after: JsonObject,
    schema: ObjectMergeSchema,
    reset: FieldSet | undefined,
    unowned?: ReadonlySet<string>,
  ): boolean {
    let shared = 0;
    for (const key in after) {
      const value = after[key];
      if (before[key] === value && value !== undefined) {
        shared++;
        continue;
      }
      if (Object.hasOwn(before, key)) shared++;
      if (!unowned?.has(key) && !this.#member(key, getKey(before, key), value, schema, reset)) return false;
    }
    return !hasMore(before, shared) || this.#removed(before, after, schema, reset, unowned);
  }

  #removed(
    before: JsonObject,
    after: JsonObject,
    schema: ObjectMergeSchema,
    reset: FieldSet | undefined,
    unowned?: ReadonlySet<string>,
  ): boolean {
    for (const key in before)
      if (!Object.hasOwn(after, key) && !unowned?.has(key) && !this.#member(key, before[key], undefined, schema, reset))
        return false;
    return true;
  }

  #member(key: string, before: Maybe, after: Maybe, schema: ObjectMergeSchema, reset: FieldSet | undefined): boolean {
    if (before === after) return true;
    const element = fieldElement(key);
    const below = reset?.[element];
    if (below !== undefined && isMember(below)) return true;
    this.#path.push(element);
    const proved = this.#values(before, after, memberSchema(schema, key) ?? anySchema, below);
    this.#path.pop();
    return proved;
  }

  #values(before: Maybe, after: Maybe, given: MergeSchema, reset: FieldSet | undefined): boolean {
    if (before === after) return true;
    const schema = deduceSchema(given, after, before);
    if (given.is === 'deduced' && before !== undefined && after !== undefined && isObject(before) !== isObject(after))
      return false;
    if (isAtomic(schema) || (isLeaf(before) && isLeaf(after))) return this.#atomic(before, after);
    if (before === undefined || after === undefined) return false;
    if (schema.is === 'list') return reset === undefined && this.#items(listOrEmpty(before), listOrEmpty(after), schema);
    const isMetadata = this.#path.length === 1 && this.#path[0] === 'f:metadata';
    return this.#members(
      objectOrEmpty(before),
      objectOrEmpty(after),
      schema as ObjectMergeSchema,
      reset,
      isMetadata ? strippedMetadata : undefined,
    );
  }

  #atomic(before: Maybe, after: Maybe): boolean {
    if (before !== undefined && after !== undefined && deepEqual(before, after)) return true;
    if (after === undefined) return !this.#owners.some(({ fields }) => hasPath(fields, this.#path));
    if (this.#own === undefined || !this.#owners.every((owner) => hasPath(owner.fields, this.#path) === (owner === this.#own)))
      return false;
    this.touched = true;
    return true;
  }

  #items(before: readonly JsonValue[], after: readonly JsonValue[], schema: ListMergeSchema): boolean {
    if (deepEqual(before as JsonValue[], after as JsonValue[])) return true;
    const elements = schema.kind === 'map' && before.length === after.length ? elementsOf(before, schema) : undefined;
    if (elements === undefined) return false;
    return elements.every((element, i) => {
      if (tryElement(after[i] as JsonValue, schema) !== element) return false;
      this.#path.push(element);
      const proved = this.#values(before[i], after[i], schema.of, undefined);
      this.#path.pop();
      return proved;
    });
  }
}

/** Whether an object has more than `count` keys. */
function hasMore(object: JsonObject, count: number): boolean {
  let more = -count;
  for (const _ in object) more++;
  return more > 0;
}

/** The path elements of all items; undefined if one has none or occurs twice. */
function elementsOf(list: readonly JsonValue[], schema: ListMergeSchema): readonly PathElement[] | undefined {
  const elements = new Set<PathElement>();
  for (const item of list) {
    const element = tryElement(item, schema);
    if (element === undefined || elements.has(element)) return undefined;
    elements.add(element);
  }
  return [...elements];
}
