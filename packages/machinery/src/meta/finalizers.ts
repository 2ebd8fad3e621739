import type { FieldErrors } from '../errors/field-errors.ts';
import type { FieldPath } from '../errors/field-path.ts';
import type { JsonValue } from '../schema/type.ts';
import { goStringSlice } from '../text/go-quote.ts';
import { isQualifiedName } from './labels.ts';

const orphan = 'orphan';
const foreground = 'foregroundDeletion';

export function validateFinalizers(finalizers: readonly JsonValue[], path: FieldPath, errors: FieldErrors): void {
  for (const finalizer of finalizers) {
    for (const message of isQualifiedName(String(finalizer))) errors.invalid(path, finalizer, message);
  }
  if (finalizers.includes(orphan) && finalizers.includes(foreground)) {
    errors.invalid(path, [...finalizers], `finalizer ${orphan} and ${foreground} cannot be both set`);
  }
}

const standard: ReadonlySet<JsonValue> = new Set([orphan, foreground, 'kubernetes']);

/** Finalizers of built-in kinds are standard names, or qualified by the domain of their owner. */
export function validateQualifiedFinalizers(finalizers: readonly JsonValue[], path: FieldPath, errors: FieldErrors): void {
  for (const [i, finalizer] of finalizers.entries()) {
    if (String(finalizer).includes('/') || standard.has(finalizer)) continue;
    errors.invalid(path.index(i), finalizer, 'name is neither a standard finalizer name nor is it fully qualified');
  }
}

/** An object on its way out takes no new reasons to stay. */
export function validateNoNewFinalizers(
  finalizers: readonly JsonValue[],
  old: readonly JsonValue[],
  path: FieldPath,
  errors: FieldErrors,
): void {
  const known = new Set(old);
  const added = [...new Set(finalizers.filter((finalizer) => !known.has(finalizer)).map(String))].sort();
  if (added.length === 0) return;
  const found = goStringSlice(added);
  errors.forbidden(path, `no new finalizers can be added if the object is being deleted, found new finalizers ${found}`);
}
