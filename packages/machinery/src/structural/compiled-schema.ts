import type { ObjectMergeSchema } from '../apply/merge-schema.ts';
import type { FieldErrors } from '../errors/field-errors.ts';
import type { JsonObject } from '../json/value.ts';
import type { Effort } from './values/budget.ts';

/** What the schema of one version of a custom resource does to its objects. Everything is compiled on first use. */
export interface CompiledSchema {
  /**
   * Gives an object the form of its schema, and changes it for that: unknown fields are dropped, nulls that may not be are
   * dropped or replaced by their default, defaults are filled in, metadata of embedded objects is coerced. The object's own
   * apiVersion, kind and metadata are left as they are.
   */
  normalize(object: JsonObject, origin: Origin): Normalized;
  /** Only the defaults: after an object was patched or converted. Changes the object. */
  applyDefaults(object: JsonObject): void;
  /**
   * Types, formats, ranges, patterns, enums and their combinations. With an old object, what has not changed is not held
   * against the new one.
   */
  validateValues(object: JsonObject, old: JsonObject | undefined, errors: FieldErrors, effort?: Effort): void;
  /** The same for an update of the status alone. */
  validateStatusValues(object: JsonObject, old: JsonObject, errors: FieldErrors, effort?: Effort): void;
  /**
   * What is checked after the values, and after scale: metadata of embedded objects, uniqueness in sets and maps, and the
   * rules (x-kubernetes-validations), which are left out if `errors` has something that makes them pointless. `part` is what
   * the write is about. The answer lists warnings: rules that are broken by what has not changed.
   */
  validateRules(
    object: JsonObject,
    old: JsonObject | undefined,
    errors: FieldErrors,
    part: 'object' | 'status',
    effort?: Effort,
  ): readonly string[];
  /** How server-side apply merges objects of this schema. */
  readonly mergeSchema: ObjectMergeSchema;
}

/**
 * What comes from the store was accepted once: embedded metadata that is malformed is dropped instead of refused. What comes
 * from another version gets no defaults: it had those of the version it was written in.
 */
export type Origin = 'request' | 'store' | 'conversion';

export interface Normalized {
  /** `unknown field "spec.foo"` for each field that was dropped, sorted by path. */
  readonly unknown: readonly string[];
  /** Why embedded metadata cannot be read: `spec.template.metadata: Invalid value: …`. A bad request, not an invalid object. */
  readonly error?: string;
}

export interface SchemaOptions {
  /** spec.preserveUnknownFields: nothing is dropped. */
  readonly preserveUnknownFields?: boolean;
}
