import type { JsonObject } from '../json/value.ts';
import { depthOf, type FieldSet, hasPath, isEmptySet, recursiveDifference, union } from '../managed-fields/field-set.ts';
import type { PathElement } from '../managed-fields/path-element.ts';
import { strippedFields } from '../managed-fields/strip-meta.ts';
import type { ObjectMergeSchema } from './merge-schema.ts';

/** The field manager of a write: with its operation it identifies an entry of managedFields. */
export interface FieldManager {
  readonly manager: string;
  /** The version the write was sent in. */
  readonly apiVersion: string;
  readonly subresource: string;
  /** Formatted as metav1.Time; undefined if the entry gets no time. */
  readonly time: string | undefined;
}

/** Schemas of, and conversion between, the versions of a kind. Versions are written as in apiVersion: `apps/v1`. */
export interface Versions {
  /**
   * Converts an object to another version; undefined if that version is unknown. Never mutates the object. Throws
   * ConversionFailed, but only if `strict`.
   */
  convert(object: JsonObject, apiVersion: string): JsonObject | undefined;
  /** Entries whose version is gone, or lacks a field of the object, make tracking fail instead of being dropped. */
  readonly strict?: boolean;
  knows(apiVersion: string): boolean;
  /** Only for known versions. */
  mergeSchema(apiVersion: string): ObjectMergeSchema;
  readonly filter: FieldFilter;
  /** The zero object of a version. */
  empty(apiVersion: string): JsonObject;
}

/**
 * An object cannot be converted to a version in which a manager owns fields. An apply fails with this message; other
 * writes succeed and remove managedFields.
 */
export class ConversionFailed extends Error {
  override readonly name = 'ConversionFailed';
}

/** Converts; a failure names the step. */
export function convertFor(step: string, object: JsonObject, apiVersion: string, versions: Versions): JsonObject | undefined {
  return inStep(step, () => versions.convert(object, apiVersion));
}

/** Prefixes the message of a ConversionFailed with the step that failed. */
export function inStep<T>(step: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw error instanceof ConversionFailed ? new ConversionFailed(`${step}: ${error.message}`, { cause: error }) : error;
  }
}

/** Fields that a write to a resource or subresource can own. */
export interface FieldFilter {
  /** The part of a set that can be owned. */
  of(fields: FieldSet): FieldSet;
  /** Whether the write can own neither this path nor anything below it. */
  excludes(path: readonly PathElement[]): boolean;
  /** Whether the write can own this path, provided that no path above it is excluded. */
  owns(path: readonly PathElement[]): boolean;
}

/** A filter for the resetFields of a strategy: everything but these paths and the paths below them. */
export function excludeFields(reset: FieldSet): FieldFilter {
  const unowned = union(reset, strippedFields);
  // Most paths are longer than all of these.
  const length = depthOf(unowned);
  return {
    of: isEmptySet(reset) ? (fields) => fields : (fields) => recursiveDifference(fields, reset),
    excludes: (path) => path.length <= length && hasPath(reset, path),
    owns: (path) => path.length > length || !hasPath(unowned, path),
  };
}
