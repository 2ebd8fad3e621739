import type { FieldErrors } from '../errors/field-errors.ts';
import { type FieldPath, path as rootPath } from '../errors/field-path.ts';
import { deepEqual } from '../json/equal.ts';
import type { JsonObject, JsonValue } from '../schema/type.ts';
import { validateAnnotations } from './annotations.ts';
import { validateNoNewFinalizers } from './finalizers.ts';
import { validateLabels } from './labels.ts';
import { validateManagedFields } from './managed-fields.ts';
import { listOf, mapOf, numberOf, textOf } from './member.ts';
import { validateOwnerReferences } from './owner-references.ts';

export const fieldIsImmutable = 'field is immutable';
const metadataPath = rootPath('metadata');
/** Each with the value that stands for its absence. */
const immutable: readonly (readonly [name: string, absent: JsonValue])[] = [
  ['name', ''],
  ['namespace', ''],
  ['uid', ''],
  ['creationTimestamp', null],
  ['deletionTimestamp', null],
  ['deletionGracePeriodSeconds', null],
];

/** Checks the metadata of an object that is updated against what it was. */
export function validateObjectMetaUpdate(
  meta: JsonObject,
  old: JsonObject,
  errors: FieldErrors,
  path: FieldPath = metadataPath,
): void {
  if ((old.deletionTimestamp ?? null) !== null) {
    validateNoNewFinalizers(listOf(meta, 'finalizers'), listOf(old, 'finalizers'), path.child('finalizers'), errors);
  }
  if (textOf(meta, 'resourceVersion') === '') {
    errors.invalid(path.child('resourceVersion'), '', 'must be specified for an update');
  }
  const generation = numberOf(meta, 'generation');
  if (generation < numberOf(old, 'generation')) errors.invalid(path.child('generation'), generation, 'must not be decremented');
  for (const [name, absent] of immutable) {
    validateImmutableField(meta[name] ?? absent, old[name] ?? absent, () => path.child(name), errors);
  }
  validateLabels(mapOf(meta, 'labels'), path.child('labels'), errors);
  validateAnnotations(mapOf(meta, 'annotations'), path.child('annotations'), errors);
  validateOwnerReferences(listOf(meta, 'ownerReferences'), path.child('ownerReferences'), errors);
  validateManagedFields(listOf(meta, 'managedFields'), path.child('managedFields'), errors);
}

/** The path may be a function, so that it is made only if there is something to say. */
export function validateImmutableField(
  value: JsonValue | undefined,
  old: JsonValue | undefined,
  path: FieldPath | (() => FieldPath),
  errors: FieldErrors,
): void {
  if (deepEqual(value ?? null, old ?? null)) return;
  errors.invalid(typeof path === 'function' ? path() : path, value, fieldIsImmutable);
}
