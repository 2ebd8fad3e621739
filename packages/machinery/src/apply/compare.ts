import { deepEqual, getKey, isObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { type FieldSet, SetBuilder } from '../managed-fields/field-set.ts';
import { fieldElement, type PathElement } from '../managed-fields/path-element.ts';
import { itemsByElement } from './list-items.ts';
import {
  anySchema,
  deducedObject,
  deduceSchema,
  isAtomic,
  type ListMergeSchema,
  type MergeSchema,
  memberSchema,
  type ObjectMergeSchema,
} from './merge-schema.ts';

export interface Comparison {
  /** Paths that are new or have another value. */
  readonly changed: FieldSet;
  readonly removed: FieldSet;
}

/** The paths in which two objects differ, found in one pass over both. Ignores managedFields. */
export function compareObjects(before: JsonObject, after: JsonObject, schema: ObjectMergeSchema): Comparison {
  const walk = new ComparingWalk();
  walk.members(before, after, schema);
  return { changed: walk.changed.set, removed: walk.removed.set };
}

/** A value that may be absent on one side of a comparison. */
export type Maybe = JsonValue | undefined;
const noMembers: JsonObject = {};
const noItems: readonly JsonValue[] = [];

class ComparingWalk {
  readonly changed = new SetBuilder();
  readonly removed = new SetBuilder();
  readonly #path: PathElement[] = [];

  /** At least one of the two is defined. */
  #values(before: Maybe, after: Maybe, given: MergeSchema): void {
    if (before === after) return;
    const schema = deduceSchema(given, after, before);
    if (given.is === 'deduced' && before !== undefined && after !== undefined && isObject(before) !== isObject(after)) {
      this.#typeChanged(before, after);
      return;
    }
    if (isAtomic(schema) || (isLeaf(before) && isLeaf(after))) {
      this.#atomic(before, after);
      return;
    }
    if (schema.is === 'list') this.#items(listOrEmpty(before), listOrEmpty(after), schema);
    else this.members(objectOrEmpty(before), objectOrEmpty(after), schema as ObjectMergeSchema);
    if (before === undefined) this.changed.insert();
    else if (after === undefined) this.removed.insert();
  }

  /** An object was replaced by a value of another type, or the reverse: all members are removed or added. */
  #typeChanged(before: JsonValue, after: JsonValue): void {
    this.members(objectOrEmpty(before), objectOrEmpty(after), deducedObject);
    this.changed.insert();
  }

  #atomic(before: Maybe, after: Maybe): void {
    if (after === undefined) this.removed.insert();
    else if (before === undefined || !deepEqual(before, after)) this.changed.insert();
  }

  members(before: JsonObject, after: JsonObject, schema: ObjectMergeSchema): void {
    for (const key of Object.keys(after)) {
      const [old, value] = [getKey(before, key), after[key]];
      if (old !== value) this.#member(key, old, value, schema);
    }
    for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) this.#member(key, before[key], undefined, schema);
  }

  #member(key: string, before: Maybe, after: Maybe, schema: ObjectMergeSchema): void {
    if (key === 'managedFields' && this.#path.length === 1 && this.#path[0] === 'f:metadata') return;
    this.#below(fieldElement(key), before, after, memberSchema(schema, key) ?? anySchema);
  }

  #items(before: readonly JsonValue[], after: readonly JsonValue[], schema: ListMergeSchema): void {
    const [old, current] = [itemsByElement(before, schema), itemsByElement(after, schema)];
    for (const [element, items] of current) this.#sameItems(element, old.get(element) ?? noItems, items, schema.of);
    for (const [element, items] of old) if (!current.has(element)) this.#sameItems(element, items, noItems, schema.of);
  }

  /** Duplicate items share one path element, which is changed, added or removed as a whole. */
  #sameItems(element: PathElement, before: readonly JsonValue[], after: readonly JsonValue[], schema: MergeSchema): void {
    this.#enter(element);
    if (before.length < 2 && after.length < 2) this.#values(before[0], after[0], schema);
    else if (before.length > 1 && after.length > 1) {
      if (!deepEqual([...before], [...after])) this.changed.insert();
    } else if (before.length > 1) {
      if (after.length > 0) this.#values(undefined, after[0], schema);
      this.removed.insert();
    } else {
      if (before.length > 0) this.#values(before[0], undefined, schema);
      this.changed.insert();
    }
    this.#leave();
  }

  #below(element: PathElement, before: Maybe, after: Maybe, schema: MergeSchema): void {
    this.#enter(element);
    this.#values(before, after, schema);
    this.#leave();
  }

  #enter(element: PathElement): void {
    this.#path.push(element);
    this.changed.enter(element);
    this.removed.enter(element);
  }

  #leave(): void {
    this.#path.pop();
    this.changed.leave();
    this.removed.leave();
  }
}

export function objectOrEmpty(value: Maybe): JsonObject {
  return isObject(value) ? value : noMembers;
}

export function listOrEmpty(value: Maybe): readonly JsonValue[] {
  return Array.isArray(value) ? value : noItems;
}

/** A scalar or an empty container: there are no paths below it. */
export function isLeaf(value: Maybe): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  for (const _ in value) return false;
  return true;
}
