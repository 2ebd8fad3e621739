import { memoize } from '../cache/bounded-cache.ts';
import { deepEqual, getKey, isObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { fieldElement, type PathElement, sortElements } from '../managed-fields/path-element.ts';
import { itemsByElement, tryElement } from './list-items.ts';
import {
  anySchema,
  deducedObject,
  deduceSchema,
  isAtomic,
  type ListMergeSchema,
  type MergeSchema,
  type ObjectMergeSchema,
} from './merge-schema.ts';

/** The current path of a walk, which changes with the next step. */
export type WalkPath = readonly PathElement[];

/**
 * `leaf`: an atomic value, without calls of `enter` and `leave`. `field` and `inner`: a container, reported between both and after
 * everything below it, in a field that its schema declares or elsewhere.
 */
export type PathKind = 'leaf' | 'field' | 'inner';

/** Receives the paths in which two objects differ, depth first. */
export interface ChangeVisitor {
  /** Whether members and items come in the order of FieldsV1. */
  readonly sorted: boolean;
  /** Called before a container is compared by its parts; false skips it, without a call of `leave`. */
  enter(path: WalkPath): boolean;
  leave(path: WalkPath): void;
  /** The path is new or has another value. False ends the walk. */
  changed(path: WalkPath, kind: PathKind, value: JsonValue): boolean;
  /** False ends the walk. */
  removed(path: WalkPath, kind: PathKind): boolean;
}

/**
 * Compares two objects in one pass over both, except for metadata.managedFields. Everything in server-side apply that depends on
 * which fields a write sets is a visitor of this walk. False if the visitor ended it.
 */
export function walkChanges(before: JsonObject, after: JsonObject, schema: ObjectMergeSchema, visitor: ChangeVisitor): boolean {
  return new ChangeWalk(visitor).members(before, after, schema);
}

/** A value that may be absent on one side of the comparison. */
type Maybe = JsonValue | undefined;
type GranularSchema = ObjectMergeSchema | ListMergeSchema;
const noMembers: JsonObject = {};
const noItems: readonly JsonValue[] = [];

/** The methods return false if the visitor ended the walk. */
class ChangeWalk {
  readonly #visitor: ChangeVisitor;
  readonly #sorted: boolean;
  readonly #path: PathElement[] = [];

  constructor(visitor: ChangeVisitor) {
    this.#visitor = visitor;
    this.#sorted = visitor.sorted;
  }

  members(before: JsonObject, after: JsonObject, schema: ObjectMergeSchema): boolean {
    let shared = 0;
    for (const key of this.#keysOf(after)) {
      const value = after[key];
      if (before[key] === value && value !== undefined) {
        shared++;
        continue;
      }
      if (Object.hasOwn(before, key)) shared++;
      if (!this.#member(key, getKey(before, key), value, schema)) return false;
    }
    return !hasMore(before, shared) || this.#removedMembers(before, after, schema);
  }

  #newMembers(after: JsonObject, schema: ObjectMergeSchema): boolean {
    for (const key of this.#keysOf(after)) if (!this.#member(key, undefined, after[key], schema)) return false;
    return true;
  }

  #removedMembers(before: JsonObject, after: JsonObject, schema: ObjectMergeSchema): boolean {
    for (const key of Object.keys(before))
      if (!Object.hasOwn(after, key) && !this.#member(key, before[key], undefined, schema)) return false;
    return true;
  }

  #keysOf(object: JsonObject): readonly string[] {
    return this.#sorted ? sortedKeys(object) : Object.keys(object);
  }

  #member(key: string, before: Maybe, after: Maybe, schema: ObjectMergeSchema): boolean {
    if (before === after || (key === 'managedFields' && this.#path.length === 1 && this.#path[0] === 'f:metadata')) return true;
    const declared = schema.fields.size === 0 ? undefined : declaredFields(schema).get(key);
    this.#path.push(declared?.element ?? fieldElement(key));
    const goesOn = this.#values(before, after, declared?.schema ?? schema.of ?? anySchema, declared !== undefined);
    this.#path.pop();
    return goesOn;
  }

  #item(element: PathElement, before: Maybe, after: Maybe, schema: MergeSchema): boolean {
    if (before === after) return true;
    this.#path.push(element);
    const goesOn = this.#values(before, after, schema, false);
    this.#path.pop();
    return goesOn;
  }

  /** At least one of the two is defined. */
  #values(before: Maybe, after: Maybe, given: MergeSchema, isDeclared: boolean): boolean {
    const schema = deduceSchema(given, after, before);
    if (!isAtomic(schema)) return this.#granular(before, after, schema as GranularSchema, isDeclared ? 'field' : 'inner');
    if (given.is === 'deduced' && before !== undefined && after !== undefined && isObject(before) !== isObject(after))
      return this.#typeChanged(before, after);
    return this.#whole(before, after, 'leaf');
  }

  /** Objects may be a thousand levels deep, so the recursion has few stack frames for each. */
  #granular(before: Maybe, after: Maybe, schema: GranularSchema, kind: PathKind): boolean {
    if (!this.#visitor.enter(this.#path)) return true;
    let goesOn: boolean;
    if (before !== undefined && isLeaf(before) && isLeaf(after)) goesOn = this.#whole(before, after, kind);
    else {
      if (schema.is === 'list') goesOn = this.#items(before, after, schema);
      else if (before === undefined) goesOn = !isObject(after) || this.#newMembers(after, schema);
      else goesOn = this.members(objectOrEmpty(before), objectOrEmpty(after), schema);
      if (before === undefined || after === undefined) goesOn &&= this.#whole(before, after, kind);
    }
    this.#visitor.leave(this.#path);
    return goesOn;
  }

  #whole(before: Maybe, after: Maybe, kind: PathKind): boolean {
    if (after === undefined) return this.#visitor.removed(this.#path, kind);
    return (before !== undefined && deepEqual(before, after)) || this.#visitor.changed(this.#path, kind, after);
  }

  /** An object was replaced by a value of another type, or the reverse: all members are removed or added. */
  #typeChanged(before: JsonValue, after: JsonValue): boolean {
    if (!this.#visitor.enter(this.#path)) return true;
    const goesOn =
      this.members(objectOrEmpty(before), objectOrEmpty(after), deducedObject) &&
      this.#visitor.changed(this.#path, 'inner', after);
    this.#visitor.leave(this.#path);
    return goesOn;
  }

  #newItems(list: readonly JsonValue[], schema: ListMergeSchema): boolean {
    if (list.length === 1) {
      const element = tryElement(list[0] as JsonValue, schema);
      return element === undefined || this.#item(element, undefined, list[0], schema.of);
    }
    const items = itemsByElement(list, schema);
    for (const element of this.#elementsOf(items))
      if (!this.#sameItems(element, noItems, items.get(element) ?? noItems, schema.of)) return false;
    return true;
  }

  #items(before: Maybe, after: Maybe, schema: ListMergeSchema): boolean {
    if (before === undefined) return !Array.isArray(after) || this.#newItems(after, schema);
    return this.#changedItems(listOrEmpty(before), listOrEmpty(after), schema);
  }

  #changedItems(before: readonly JsonValue[], after: readonly JsonValue[], schema: ListMergeSchema): boolean {
    if (before.length === after.length && deepEqual(before as JsonValue[], after as JsonValue[])) return true;
    const [old, current] = [itemsByElement(before, schema), itemsByElement(after, schema)];
    for (const element of this.#elementsOf(current))
      if (!this.#sameItems(element, old.get(element) ?? noItems, current.get(element) ?? noItems, schema.of)) return false;
    for (const [element, items] of old)
      if (!current.has(element) && !this.#sameItems(element, items, noItems, schema.of)) return false;
    return true;
  }

  #elementsOf(items: ReadonlyMap<PathElement, unknown>): Iterable<PathElement> {
    return this.#sorted ? sortElements([...items.keys()]) : items.keys();
  }

  #sameItems(element: PathElement, before: readonly JsonValue[], after: readonly JsonValue[], schema: MergeSchema): boolean {
    if (before.length < 2 && after.length < 2) return this.#item(element, before[0], after[0], schema);
    this.#path.push(element);
    const goesOn = this.#duplicates(before, after, schema);
    this.#path.pop();
    return goesOn;
  }

  /** Duplicate items share one path element, which is changed, added or removed as a whole. */
  #duplicates(before: readonly JsonValue[], after: readonly JsonValue[], schema: MergeSchema): boolean {
    const [[old], [item]] = [before, after];
    if (before.length > 1 && after.length > 1) return this.#whole([...before], [...after], 'leaf');
    if (before.length > 1)
      return (item === undefined || this.#values(undefined, item, schema, false)) && this.#visitor.removed(this.#path, 'leaf');
    return (
      (old === undefined || this.#values(old, undefined, schema, false)) &&
      this.#visitor.changed(this.#path, 'leaf', after[0] as JsonValue)
    );
  }
}

/** The declared fields of a schema with their path elements, which are built once. */
const declaredFields = memoize(
  ({ fields }: ObjectMergeSchema) =>
    new Map([...fields].map(([key, schema]) => [key, { element: fieldElement(key), schema }] as const)),
);

function objectOrEmpty(value: Maybe): JsonObject {
  return isObject(value) ? value : noMembers;
}

function listOrEmpty(value: Maybe): readonly JsonValue[] {
  return Array.isArray(value) ? value : noItems;
}

/** A scalar or an empty container: there are no paths below it. */
function isLeaf(value: Maybe): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Array.isArray(value) ? value.length === 0 : !hasMore(value, 0);
}

/** Whether an object has more than `count` keys. */
function hasMore(object: JsonObject, count: number): boolean {
  let rest = count;
  for (const _ in object) if (--rest < 0) return true;
  return false;
}

/** Insertion sort is faster than Array.sort for few keys. */
function sortedKeys(object: JsonObject): string[] {
  const keys = Object.keys(object);
  if (keys.length > 32) return keys.sort();
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i] as string;
    let at = i;
    for (; at > 0 && (keys[at - 1] as string) > key; at--) keys[at] = keys[at - 1] as string;
    keys[at] = key;
  }
  return keys;
}
