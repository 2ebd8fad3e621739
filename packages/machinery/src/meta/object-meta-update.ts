import type { FieldErrors } from '../errors/field-errors.ts';
import { type FieldPath, path as rootPath } from '../errors/field-path.ts';
import { deepEqual } from '../json/equal.ts';
import { integerIn, listIn, mapIn, textIn } from '../json/fields.ts';
import type { JsonObject, JsonValue } from '../schema/type.ts';
import { validateAnnotations } from './annotations.ts';
import { validateNoNewFinalizers } from './finalizers.ts';
import { validateLabels } from './labels.ts';
import { validateManagedFields } from './managed-fields.ts';
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
    validateNoNewFinalizers(listIn(meta, 'finalizers'), listIn(old, 'finalizers'), path.child('finalizers'), errors);
  }
  if (textIn(meta, 'resourceVersion') === '') {
    errors.invalid(path.child('resourceVersion'), '', 'must be specified for an update');
  }
  const generation = integerIn(meta, 'generation');
  if (generation < integerIn(old, 'generation')) errors.invalid(path.child('generation'), generation, 'must not be decremented');
  for (const [name, absent] of immutable) {
    validateImmutableField(meta[name] ?? absent, old[name] ?? absent, () => path.child(name), errors);
  }
  validateLabels(mapIn(meta, 'labels'), path.child('labels'), errors);
  validateAnnotations(mapIn(meta, 'annotations'), path.child('annotations'), errors);
  validateOwnerReferences(listIn(meta, 'ownerReferences'), path.child('ownerReferences'), errors);
  validateManagedFields(listIn(meta, 'managedFields'), path.child('managedFields'), errors);
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
