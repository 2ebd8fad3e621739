import { type PathElement, self, sortElements } from './path-element.ts';

/**
 * A set of paths as a tree of path elements, the form of FieldsV1. A leaf is a member of the set; an inner element is one if
 * it contains `.`. Sets are immutable, and operations share parts with their operands.
 */
export interface FieldSet {
  readonly [element: PathElement]: FieldSet;
}

/** A set under construction. */
export interface MutableFieldSet {
  [element: PathElement]: MutableFieldSet;
}

export const noFields: FieldSet = Object.freeze({});

/** Whether a set is empty; for a part of a set, whether it is a leaf. */
export function isEmptySet(set: FieldSet): boolean {
  for (const _ in set) return false;
  return true;
}

/** Whether the path to a part is a member of the set. */
export function isMember(part: FieldSet): boolean {
  return part[self] !== undefined || isEmptySet(part);
}

/** The part with its own path as a member. */
export function asMember(part: FieldSet | undefined): FieldSet {
  if (part === undefined) return noFields;
  return isMember(part) ? part : { [self]: noFields, ...part };
}

export function hasPath(set: FieldSet, path: readonly PathElement[]): boolean {
  let part: FieldSet | undefined = set;
  for (const element of path) {
    part = part[element];
    if (part === undefined) return false;
  }
  return isMember(part);
}

/** The length of the longest path. */
export function depthOf(set: FieldSet): number {
  let depth = 0;
  for (const element in set) if (element !== self) depth = Math.max(depth, 1 + depthOf(set[element] as FieldSet));
  return depth;
}

/** Returns `a` itself if it contains `b`. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmptySet(a)) return b;
  let joined: MutableFieldSet | undefined;
  for (const element in b) {
    if (element === self) continue;
    const [left, right] = [a[element], b[element] as FieldSet];
    const both = left === undefined ? right : unionOfParts(left, right);
    if (both === left) continue;
    joined ??= { ...a } as MutableFieldSet;
    joined[element] = both as MutableFieldSet;
  }
  return joined ?? a;
}

/** Joins by halves, so that each set is copied at most log n times. */
export function unionOfAll(sets: readonly FieldSet[]): FieldSet {
  if (sets.length < 2) return sets[0] ?? noFields;
  const middle = sets.length >> 1;
  return union(unionOfAll(sets.slice(0, middle)), unionOfAll(sets.slice(middle)));
}

function unionOfParts(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmptySet(b)) return asMember(a);
  if (isEmptySet(a)) return asMember(b);
  const joined = union(a, b);
  return b[self] === undefined ? joined : asMember(joined);
}

/** The paths of `a` that are not in `b`. A path of `b` does not remove the paths below it. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, false) ?? noFields;
}

/** The same, but a path of `b` removes everything below it. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, true) ?? noFields;
}

/** Returns `a` itself if nothing is removed, undefined if nothing is left. */
function subtract(a: FieldSet, b: FieldSet, recursive: boolean): FieldSet | undefined {
  let rest: MutableFieldSet | undefined;
  for (const element in b) {
    const left = a[element];
    if (left === undefined || element === self) continue;
    const remaining = subtractPart(left, b[element] as FieldSet, recursive);
    if (remaining === left) continue;
    rest ??= { ...a } as MutableFieldSet;
    if (remaining === undefined) delete rest[element];
    else rest[element] = remaining as MutableFieldSet;
  }
  if (rest === undefined) return a;
  return isEmptySet(rest) ? undefined : rest;
}

function subtractPart(a: FieldSet, b: FieldSet, recursive: boolean): FieldSet | undefined {
  if (!isMember(b)) return isEmptySet(a) ? a : keepSelf(a, subtract(a, b, recursive));
  if (recursive || isEmptySet(a)) return undefined;
  const below = a[self] === undefined ? a : withoutSelf(a);
  return subtract(below, b, recursive);
}

/** A part that contains only `.` becomes a leaf. */
function keepSelf(a: FieldSet, rest: FieldSet | undefined): FieldSet | undefined {
  if (rest === undefined || a[self] === undefined) return rest;
  for (const element in rest) if (element !== self) return rest;
  return noFields;
}

function withoutSelf(part: FieldSet): FieldSet {
  const { [self]: _, ...below } = part;
  return below;
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  return intersectBelow(a, b) ?? noFields;
}

function intersectBelow(a: FieldSet, b: FieldSet): FieldSet | undefined {
  let common: MutableFieldSet | undefined;
  for (const element in b) {
    const left = a[element];
    if (left === undefined || element === self) continue;
    const both = intersectParts(left, b[element] as FieldSet);
    if (both === undefined) continue;
    common ??= {};
    common[element] = both as MutableFieldSet;
  }
  return common;
}

function intersectParts(a: FieldSet, b: FieldSet): FieldSet | undefined {
  const below = intersectBelow(a, b);
  return isMember(a) && isMember(b) ? asMember(below) : below;
}

/** The paths that are not a prefix of another path of the set. */
export function leaves(set: FieldSet): FieldSet {
  const kept: MutableFieldSet = {};
  for (const element in set) if (element !== self) kept[element] = leaves(set[element] as FieldSet) as MutableFieldSet;
  return kept;
}

/** All paths, level by level below each prefix. */
export function* pathsOf(set: FieldSet, prefix: readonly PathElement[] = []): Generator<readonly PathElement[]> {
  const elements = Object.keys(set).filter((element) => element !== self);
  for (const element of elements) if (isMember(set[element] as FieldSet)) yield [...prefix, element];
  for (const element of elements) yield* pathsOf(set[element] as FieldSet, [...prefix, element]);
}

/** The set in the order of FieldsV1; itself if it is sorted. */
export function sortedSet(set: FieldSet): FieldSet {
  const found = Object.keys(set);
  if (found.length === 0) return set;
  const elements = sortElements(found);
  let sorted = elements === found ? undefined : inNewOrder(set, elements);
  for (const element of elements) {
    const part = set[element] as FieldSet;
    const ordered = sortedSet(part);
    if (ordered === part) continue;
    sorted ??= inNewOrder(set, elements);
    sorted[element] = ordered as MutableFieldSet;
  }
  return sorted ?? set;
}

function inNewOrder(set: FieldSet, elements: readonly PathElement[]): MutableFieldSet {
  const ordered: MutableFieldSet = {};
  for (const element of elements) ordered[element] = set[element] as MutableFieldSet;
  return ordered;
}

/** Builds a set during a depth-first walk that inserts a path after the paths below it. Each step takes constant time. */
export class SetBuilder {
  /** The part of the set for each prefix of the current path, as far as it exists. */
  readonly #parts: MutableFieldSet[] = [{}];

  get set(): FieldSet {
    return this.#parts[0] as MutableFieldSet;
  }

  /** The walk leaves a path of this length. */
  leave(length: number): void {
    if (this.#parts.length > length) this.#parts.length = length;
  }

  /** Inserts a path without anything below it. */
  insertLeaf(path: readonly PathElement[]): void {
    const last = path.length - 1;
    this.#partAt(path, last)[path[last] as PathElement] = {};
  }

  /** Inserts the current path of the walk, which `leave` will leave. */
  insert(path: readonly PathElement[]): void {
    if (this.#parts.length > path.length) (this.#parts[path.length] as MutableFieldSet)[self] = {};
    else this.#partAt(path, path.length);
  }

  #partAt(path: readonly PathElement[], depth: number): MutableFieldSet {
    let part = this.#parts[this.#parts.length - 1] as MutableFieldSet;
    if (this.#parts.length > depth) return this.#parts[depth] as MutableFieldSet;
    for (let at = this.#parts.length; at <= depth; at++) {
      const below: MutableFieldSet = {};
      part[path[at - 1] as PathElement] = below;
      this.#parts.push(below);
      part = below;
    }
    return part;
  }
}
