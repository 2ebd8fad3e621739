import type { ObjectMergeSchema } from '../apply/merge-schema.ts';
import type { FieldErrors } from '../errors/field-errors.ts';
import type { JsonObject } from '../json/value.ts';
import type { Effort } from './values/budget.ts';

/** The schema of one version of a custom resource. Everything is compiled on first use. */
export interface CompiledSchema {
  /**
   * Prunes unknown fields, drops nulls that are not nullable or replaces them by their default, applies defaults and coerces
   * the metadata of embedded objects. Mutates the object, except for its own apiVersion, kind and metadata.
   */
  normalize(object: JsonObject, origin: Origin): Normalized;
  /** Applies only the defaults, after a patch or conversion. Mutates the object. */
  applyDefaults(object: JsonObject): void;
  /**
   * Validates types, formats, ranges, patterns, enums and their combinations. With an old object, unchanged values are not
   * validated again (ratcheting).
   */
  validateValues(object: JsonObject, old: JsonObject | undefined, errors: FieldErrors, effort?: Effort): void;
  /** The same for an update of the status subresource. */
  validateStatusValues(object: JsonObject, old: JsonObject, errors: FieldErrors, effort?: Effort): void;
  /**
   * Runs after the validation of values and of scale: metadata of embedded objects, uniqueness in sets and maps, and the CEL
   * rules (x-kubernetes-validations), which are skipped if `errors` already makes them meaningless. `part` is the part of
   * the object that is written. Returns warnings: rules violated by unchanged values.
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
 * The origin of an object. From the store: malformed embedded metadata is dropped instead of rejected, because it was accepted
 * once. From a conversion: no defaults are applied, because the source version had its own.
 */
export type Origin = 'request' | 'store' | 'conversion';

export interface Normalized {
  /** `unknown field "spec.foo"` for each pruned field, sorted by path. */
  readonly unknown: readonly string[];
  /** Malformed embedded metadata: `spec.template.metadata: Invalid value: …`. A 400, not a 422. */
  readonly error?: string;
}

export interface SchemaOptions {
  /** spec.preserveUnknownFields: nothing is pruned. */
  readonly preserveUnknownFields?: boolean;
}
