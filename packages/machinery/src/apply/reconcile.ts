import { memoize } from '../cache/bounded-cache.ts';
import type { JsonObject } from '../json/value.ts';
import { type FieldSet, isEmptySet, type MutableFieldSet, noFields } from '../managed-fields/field-set.ts';
import { isInterned } from '../managed-fields/fields-v1.ts';
import type { Owner } from '../managed-fields/owners.ts';
import { fieldElement, type PathElement, self } from '../managed-fields/path-element.ts';
import type { Versions } from './field-manager.ts';
import type { MergeSchema, ObjectMergeSchema } from './merge-schema.ts';

/**
 * Adapts owned field sets to the current schemas. A container that has become atomic is owned as a whole by each manager
 * that owned a part of it; nothing changes if it has become granular. Throws ConversionFailed if conversion is strict and
 * the object cannot be converted to an owner's version.
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

/** Interned sets, with the schema for which they were checked. */
const checkedFor = new WeakMap<FieldSet, ObjectMergeSchema>();

/** Whether a set fits its schema. Checked once for interned sets. */
export function isReconciled(set: FieldSet, schema: ObjectMergeSchema): boolean {
  if (checkedFor.get(set) === schema) return true;
  const right = reconcileSet(set, schema) === set;
  if (right && isInterned(set)) checkedFor.set(set, schema);
  return right;
}

/** Returns the set itself if it fits the schema. */
export function reconcileSet(set: FieldSet, schema: MergeSchema): FieldSet {
  if (isUntyped(schema)) return set;
  let result: MutableFieldSet | undefined;
  for (const element in set) {
    const part = set[element] as FieldSet;
    // A leaf fits every schema.
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
  if (schema.is === 'scalar' || isUntyped(schema)) return part;
  const isOneThing =
    schema.is === 'any' || (schema.is === 'object' ? schema.atomic : schema.is === 'list' && schema.kind === 'atomic');
  return isOneThing ? noFields : reconcileSet(part, schema);
}

/** Values without a schema are never reconciled. */
function isUntyped(schema: MergeSchema): boolean {
  return schema.is === 'deduced' || (schema.is === 'object' && schema.of?.is === 'deduced' && schema.fields.size === 0);
}

/** Slicing the name out of an element costs more than a lookup. */
const fieldsByElement = memoize(
  ({ fields }: ObjectMergeSchema) => new Map([...fields].map(([key, schema]) => [fieldElement(key), schema] as const)),
);

function schemaBelow(element: PathElement, schema: MergeSchema): MergeSchema | undefined {
  if (schema.is === 'list') return schema.of;
  if (schema.is !== 'object') return undefined;
  if (element[0] !== 'f' || schema.fields.size === 0) return schema.of;
  return fieldsByElement(schema).get(element) ?? schema.of;
}
