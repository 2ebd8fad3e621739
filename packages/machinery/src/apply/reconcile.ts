import type { JsonObject } from '../json/value.ts';
import { type FieldSet, isEmptySet, type MutableFieldSet, noFields } from '../managed-fields/field-set.ts';
import { isInterned } from '../managed-fields/fields-v1.ts';
import type { Owner } from '../managed-fields/owners.ts';
import { contentOf, type PathElement, self } from '../managed-fields/path-element.ts';
import type { Versions } from './field-manager.ts';
import type { MergeSchema, ObjectMergeSchema } from './merge-schema.ts';

/**
 * The owners, with what each owns said in the words of the types as they are now. What was owned part by part and has become
 * one thing since is owned as a whole by whoever owned some of it. The other way round nothing has to be done. Throws
 * ConversionFailed if conversion is strict and an owner's version cannot show the object.
 */
export function reconciled(owners: readonly Owner[], live: JsonObject, versions: Versions): readonly Owner[] {
  let changed: Owner[] | undefined;
  const shown = new Set<string>();
  for (let i = 0; i < owners.length; i++) {
    const owner = owners[i] as Owner;
    if (versions.strict && owner.apiVersion !== live.apiVersion && !shown.has(owner.apiVersion)) {
      versions.convert(live, owner.apiVersion);
      shown.add(owner.apiVersion);
    }
    if (!versions.knows(owner.apiVersion)) continue;
    const schema = versions.mergeSchema(owner.apiVersion);
    if (isReconciled(owner.fields, schema)) continue;
    const fields = reconcileSet(owner.fields, schema);
    changed ??= [...owners];
    changed[i] = { ...owner, fields };
  }
  return changed ?? owners;
}

/** For known sets, the type in whose words they are. */
const rightFor = new WeakMap<FieldSet, ObjectMergeSchema>();

/** Whether all of a set is as it should be. Of sets that are known it is found out once. */
export function isReconciled(set: FieldSet, schema: ObjectMergeSchema): boolean {
  if (rightFor.get(set) === schema) return true;
  const right = reconcileSet(set, schema) === set;
  if (right && isInterned(set)) rightFor.set(set, schema);
  return right;
}

/** Gives the set itself if all of it is as it should be. */
export function reconcileSet(set: FieldSet, schema: MergeSchema): FieldSet {
  if (isFree(schema)) return set;
  let result: MutableFieldSet | undefined;
  for (const element in set) {
    const part = set[element] as FieldSet;
    // A path without anything below it is right whatever its type has become.
    if (element === self || isEmptySet(part)) continue;
    const below = schemaBelow(element, schema);
    const right = below === undefined ? part : reconcilePart(part, below);
    if (right === part) continue;
    result ??= { ...set } as MutableFieldSet;
    result[element] = right as MutableFieldSet;
  }
  return result ?? set;
}

function reconcilePart(part: FieldSet, schema: MergeSchema): FieldSet {
  if (schema.is === 'scalar' || isFree(schema)) return part;
  const isOneThing =
    schema.is === 'any' || (schema.is === 'object' ? schema.atomic : schema.is === 'list' && schema.kind === 'atomic');
  return isOneThing ? noFields : reconcileSet(part, schema);
}

/** What no schema describes is as it was written. */
function isFree(schema: MergeSchema): boolean {
  return schema.is === 'deduced' || (schema.is === 'object' && schema.of?.is === 'deduced' && schema.fields.size === 0);
}

const namedBelow = new WeakMap<MergeSchema, Map<PathElement, MergeSchema>>();

/** Remembered by element: to cut the name out of an element takes longer than to find what is known of it. */
function schemaBelow(element: PathElement, schema: MergeSchema): MergeSchema | undefined {
  if (schema.is === 'list') return schema.of;
  if (schema.is !== 'object') return undefined;
  if (element[0] !== 'f' || schema.fields.size === 0) return schema.of;
  const named = namedBelow.get(schema);
  return named?.get(element) ?? findBelow(element, schema, named ?? new Map());
}

/** Only what the type names is remembered, of which there is so much and no more. */
function findBelow(
  element: PathElement,
  schema: ObjectMergeSchema,
  named: Map<PathElement, MergeSchema>,
): MergeSchema | undefined {
  const below = schema.fields.get(contentOf(element));
  if (below === undefined) return schema.of;
  namedBelow.set(schema, named.set(element, below));
  return below;
}
