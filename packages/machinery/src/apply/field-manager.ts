import type { JsonObject } from '../json/value.ts';
import { type FieldSet, isEmptySet, recursiveDifference } from '../managed-fields/field-set.ts';
import type { ObjectShape } from './merge-schema.ts';

/** What has to be known of the versions of a kind. Versions are written as apiVersion: `apps/v1`. */
export interface Versions {
  /**
   * An object in another version than the one it is in; undefined if that version is not known. Never changes it. Throws
   * ConversionFailed, but only if conversion is strict.
   */
  convert(object: JsonObject, apiVersion: string): JsonObject | undefined;
  /** Owners whose version is gone, or lacks a field of the object, make tracking fail instead of being dropped. */
  readonly strict?: boolean;
  knows(apiVersion: string): boolean;
  /** Only of versions that are known. */
  shape(apiVersion: string): ObjectShape;
  readonly ownable: Ownable;
  /** An object of a version before anything is said of it. */
  empty(apiVersion: string): JsonObject;
}

/**
 * An object cannot be shown in a version in which somebody owns fields. An apply fails with this message; other writes go
 * on and remove the whole record.
 */
export class ConversionFailed extends Error {
  override readonly name = 'ConversionFailed';
}

/** Converts, and puts the step that failed in front of the message. */
export function convertFor(step: string, object: JsonObject, apiVersion: string, versions: Versions): JsonObject | undefined {
  return inStep(step, () => versions.convert(object, apiVersion));
}

export function inStep<T>(step: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw error instanceof ConversionFailed ? new ConversionFailed(`${step}: ${error.message}`, { cause: error }) : error;
  }
}

/** Who writes, and how. */
export interface Writer {
  readonly manager: string;
  /** The version the write was sent in. */
  readonly apiVersion: string;
  readonly subresource: string;
  /** As metav1.Time is written; undefined if the time is not recorded. */
  readonly time: string | undefined;
}

/** What a write of some kind can change: nobody gets to own anything else by it. */
export interface Ownable {
  of(fields: FieldSet): FieldSet;
  /** Where it is all but some paths and what is below them: those. */
  readonly allBut: FieldSet | undefined;
}

/** Everything but some paths, and what is below them. */
export function allBut(reset: FieldSet): Ownable {
  return { of: isEmptySet(reset) ? (fields) => fields : (fields) => recursiveDifference(fields, reset), allBut: reset };
}
