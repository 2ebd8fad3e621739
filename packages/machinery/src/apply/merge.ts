import { getKey, isObject, type JsonObject, type JsonValue, setKey } from '../json/value.ts';
import type { PathElement } from '../managed-fields/path-element.ts';
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

/** Merges an applied object into the live one. Never mutates either; the result shares parts with both. */
export function mergeObjects(live: JsonObject, applied: JsonObject, schema: ObjectMergeSchema): JsonObject {
  const merged: JsonObject = { ...live };
  for (const key of Object.keys(applied)) {
    const value = applied[key] as JsonValue;
    const old = getKey(live, key);
    setKey(merged, key, old === undefined ? value : mergeValues(old, value, memberSchema(schema, key) ?? anySchema));
  }
  return merged;
}

function mergeValues(live: JsonValue, applied: JsonValue, given: MergeSchema): JsonValue {
  const schema = deduceSchema(given, applied, live);
  if (isAtomic(schema)) return applied;
  if (schema.is === 'list') {
    if (!hasItems(live)) return applied;
    return mergeItems(live, hasItems(applied) ? applied : [], schema, mergeValues);
  }
  if (!isObject(live) || Object.keys(live).length === 0) return applied;
  return mergeObjects(live, isObject(applied) ? applied : {}, schema as ObjectMergeSchema);
}

function hasItems(value: JsonValue): value is JsonValue[] {
  return Array.isArray(value) && value.length > 0;
}

type Merge = (live: JsonValue, applied: JsonValue, schema: MergeSchema) => JsonValue;

interface Indexed {
  readonly elements: readonly PathElement[];
  readonly items: readonly JsonValue[];
  /** Undefined for duplicate items, which are replaced instead of merged. */
  readonly byElement: ReadonlyMap<PathElement, JsonValue | undefined>;
}

function index(list: readonly JsonValue[], schema: ListMergeSchema): Indexed {
  const byElement = new Map<PathElement, JsonValue | undefined>();
  const elements: PathElement[] = [];
  const items: JsonValue[] = [];
  for (const item of list) {
    const element = tryElement(item, schema);
    if (element === undefined) continue;
    byElement.set(element, byElement.has(element) ? undefined : item);
    elements.push(element);
    items.push(item);
  }
  return { elements, items, byElement };
}

/**
 * Merges two lists. Applied items come in the applied order; the other live items keep their places between them.
 */
export function mergeItems(
  live: readonly JsonValue[],
  applied: readonly JsonValue[],
  schema: ListMergeSchema,
  merge: Merge,
): JsonValue[] {
  return new MergingLists(index(live, schema), index(applied, schema), schema, merge).merged();
}

class MergingLists {
  readonly #live: Indexed;
  readonly #applied: Indexed;
  readonly #schema: ListMergeSchema;
  readonly #merge: Merge;
  readonly #out: JsonValue[] = [];
  readonly #done = new Set<PathElement>();
  /** Elements of both lists in applied order; `#next` is the index of the first unmerged one. */
  readonly #shared: readonly PathElement[];
  #next = 0;

  constructor(live: Indexed, applied: Indexed, schema: ListMergeSchema, merge: Merge) {
    this.#live = live;
    this.#applied = applied;
    this.#schema = schema;
    this.#merge = merge;
    this.#shared = applied.elements.filter((element) => live.byElement.has(element));
  }

  merged(): JsonValue[] {
    const { elements: left, items } = this.#live;
    const { elements: right, byElement: applied } = this.#applied;
    let [l, r] = [0, 0];
    while (l < left.length || r < right.length) {
      const element = left[l];
      if (element !== undefined && !applied.has(element)) {
        this.#out.push(items[l++] as JsonValue);
      } else if (element !== undefined && r < right.length && element === right[r]) {
        this.#take(element);
        l++;
        r++;
      } else if (element !== undefined && r < right.length && this.#isLater(element)) {
        l++;
      } else {
        if (element !== undefined && this.#done.has(element)) l++;
        if (r < right.length) this.#take(right[r++] as PathElement);
      }
    }
    return this.#out;
  }

  /** Whether another shared element comes first in applied order. */
  #isLater(element: PathElement): boolean {
    const next = this.#shared[this.#next];
    return next !== undefined && next !== element;
  }

  #take(element: PathElement): void {
    this.#done.add(element);
    if (this.#shared[this.#next] === element) this.#next++;
    const live = this.#live.byElement.get(element);
    const applied = this.#applied.byElement.get(element) as JsonValue;
    this.#out.push(live === undefined ? applied : this.#merge(live, applied, this.#schema.of));
  }
}
