import { isObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { type FieldSet, SetBuilder } from '../managed-fields/field-set.ts';
import type { ObjectMergeSchema } from './merge-schema.ts';
import { type ChangeVisitor, type PathKind, type WalkPath, walkChanges } from './walk-changes.ts';

export interface Comparison {
  /** Paths that are new or have another value. */
  readonly changed: FieldSet;
  readonly removed: FieldSet;
}

/** The paths in which two objects differ. Ignores managedFields. */
export function compareObjects(before: JsonObject, after: JsonObject, schema: ObjectMergeSchema): Comparison {
  const collector = new ChangeCollector();
  walkChanges(before, after, schema, collector);
  return { changed: collector.changedPaths.set, removed: collector.removedPaths.set };
}

class ChangeCollector implements ChangeVisitor {
  readonly sorted = false;
  readonly changedPaths = new SetBuilder();
  readonly removedPaths = new SetBuilder();

  enter(): boolean {
    return true;
  }

  leave({ length }: WalkPath): void {
    this.changedPaths.leave(length);
    this.removedPaths.leave(length);
  }

  changed(path: WalkPath, kind: PathKind): boolean {
    return insert(this.changedPaths, path, kind);
  }

  removed(path: WalkPath, kind: PathKind): boolean {
    return insert(this.removedPaths, path, kind);
  }
}

function insert(into: SetBuilder, path: WalkPath, kind: PathKind): true {
  if (kind === 'leaf') into.insertLeaf(path);
  else into.insert(path);
  return true;
}

const nothing: JsonObject = {};

/**
 * The paths that applying an object owns: those in which it differs from an empty one, but for declared fields that are owned by
 * their parts.
 */
export function fieldSetOf(object: JsonObject, schema: ObjectMergeSchema): FieldSet {
  const collector = new AppliedCollector();
  walkChanges(nothing, object, schema, collector);
  return collector.paths.set;
}

class AppliedCollector implements ChangeVisitor {
  readonly sorted = false;
  readonly paths = new SetBuilder();

  enter(): boolean {
    return true;
  }

  leave({ length }: WalkPath): void {
    this.paths.leave(length);
  }

  changed(path: WalkPath, kind: PathKind, value: JsonValue): boolean {
    return (kind === 'field' && !isNothing(value)) || insert(this.paths, path, kind);
  }

  removed(): boolean {
    return true;
  }
}

function isNothing(value: JsonValue): boolean {
  return value === null || (isObject(value) && Object.keys(value).length === 0);
}
