import type { Strategy, User } from '@tsukube/apiserver';
import type { FieldErrors, KubeObject } from '@tsukube/machinery';
import { typedObject } from '../schema/schema-types.ts';

/** The behaviour of a kind. Objects are in the stored version; only the first argument may be changed. */
export interface ResourceStrategy<T> {
  /** Sets fields of a new object, before it is validated. */
  prepareForCreate?(object: T, context: { readonly user: User; readonly warn: (message: string) => void }): void;
  /** Changes an updated object, before it is validated: restores fields that clients may not change, for example. */
  prepareForUpdate?(object: T, old: T): void;
  /** Validates rules that the schema cannot express. `old` is absent for a create. */
  validate?(object: T, errors: FieldErrors, old: T | undefined): void;
  /** Warnings for the client. */
  warnings?(object: T, old: T | undefined): readonly string[];
  /** Validates a name. DNS subdomain names are valid by default. */
  validateName?(name: string): readonly string[];
}

/** Adds the author's behaviour to that of the schema. Validation by the schema comes first. */
export function strategyOf<T>(own: ResourceStrategy<T>, base: Strategy): Strategy {
  const validated = (object: KubeObject, errors: FieldErrors, old: KubeObject | undefined) => {
    // Code of the author may rely on the types of the schema.
    if (errors.length === 0) own.validate?.(typedObject<T>(object), errors, old && typedObject<T>(old));
  };
  return {
    ...base,
    prepareForCreate(object, user, version, warn) {
      base.prepareForCreate?.(object, user, version, warn);
      own.prepareForCreate?.(typedObject<T>(object), { user, warn: warn ?? (() => {}) });
    },
    prepareForUpdate(object, old, version) {
      own.prepareForUpdate?.(typedObject<T>(object), typedObject<T>(old));
      base.prepareForUpdate?.(object, old, version);
    },
    validateCreate(object, errors, version, effort) {
      base.validateCreate?.(object, errors, version, effort);
      validated(object, errors, undefined);
    },
    validateUpdate(object, old, errors, version, effort, warn) {
      base.validateUpdate?.(object, old, errors, version, effort, warn);
      validated(object, errors, old);
    },
    warnings: (object, old) => [
      ...(base.warnings?.(object, old) ?? []),
      ...(own.warnings?.(typedObject<T>(object), old && typedObject<T>(old)) ?? []),
    ],
    ...(own.validateName && { validateName: (name: string) => own.validateName?.(name) ?? [] }),
  };
}
