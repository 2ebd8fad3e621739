import type { JsonObject } from '../json/value.ts';
import { type FieldSet, isEmptySet, type MutableFieldSet, noFields } from '../managed-fields/field-set.ts';
import { isKnown } from '../managed-fields/fields-v1.ts';
import type { Owner } from '../managed-fields/owners.ts';
import { contentOf, type PathElement, self } from '../managed-fields/path-element.ts';
import type { Versions } from './field-manager.ts';
import type { ObjectShape, Shape } from './merge-schema.ts';

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
    const shape = versions.shape(owner.apiVersion);
    if (isReconciled(owner.fields, shape)) continue;
    const fields = reconcileSet(owner.fields, shape);
    changed ??= [...owners];
    changed[i] = { ...owner, fields };
  }
  return changed ?? owners;
}

/** For known sets, the type in whose words they are. */
const rightFor = new WeakMap<FieldSet, ObjectShape>();

/** Whether all of a set is as it should be. Of sets that are known it is found out once. */
export function isReconciled(set: FieldSet, shape: ObjectShape): boolean {
  if (rightFor.get(set) === shape) return true;
  const right = reconcileSet(set, shape) === set;
  if (right && isKnown(set)) rightFor.set(set, shape);
  return right;
}

/** Gives the set itself if all of it is as it should be. */
export function reconcileSet(set: FieldSet, shape: Shape): FieldSet {
  if (isFree(shape)) return set;
  let result: MutableFieldSet | undefined;
  for (const element in set) {
    const part = set[element] as FieldSet;
    // A path without anything below it is right whatever its type has become.
    if (element === self || isEmptySet(part)) continue;
    const below = shapeBelow(element, shape);
    const right = below === undefined ? part : reconcilePart(part, below);
    if (right === part) continue;
    result ??= { ...set } as MutableFieldSet;
    result[element] = right as MutableFieldSet;
  }
  return result ?? set;
}

function reconcilePart(part: FieldSet, shape: Shape): FieldSet {
  if (shape.is === 'scalar' || isFree(shape)) return part;
  const isOneThing =
    shape.is === 'any' || (shape.is === 'object' ? shape.atomic : shape.is === 'list' && shape.kind === 'atomic');
  return isOneThing ? noFields : reconcileSet(part, shape);
}

/** What no schema describes is as it was written. */
function isFree(shape: Shape): boolean {
  return shape.is === 'deduced' || (shape.is === 'object' && shape.of?.is === 'deduced' && shape.fields.size === 0);
}

const namedBelow = new WeakMap<Shape, Map<PathElement, Shape>>();

/** Remembered by element: to cut the name out of an element takes longer than to find what is known of it. */
function shapeBelow(element: PathElement, shape: Shape): Shape | undefined {
  if (shape.is === 'list') return shape.of;
  if (shape.is !== 'object') return undefined;
  if (element[0] !== 'f' || shape.fields.size === 0) return shape.of;
  const named = namedBelow.get(shape);
  return named?.get(element) ?? findBelow(element, shape, named ?? new Map());
}

/** Only what the type names is remembered, of which there is so much and no more. */
function findBelow(element: PathElement, shape: ObjectShape, named: Map<PathElement, Shape>): Shape | undefined {
  const below = shape.fields.get(contentOf(element));
  if (below === undefined) return shape.of;
  namedBelow.set(shape, named.set(element, below));
  return below;
}
