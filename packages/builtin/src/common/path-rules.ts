import { type FieldErrors, type FieldPath, type JsonObject, numberIn } from '@tsukube/machinery';

export function hasBacksteps(path: string): boolean {
  return path.split('/').includes('..');
}

export function validateNoBacksteps(path: string, at: FieldPath, errors: FieldErrors): void {
  if (hasBacksteps(path)) errors.invalid(at, path, "must not contain '..'");
}

/** A path that stays below where it starts. */
export function validateDescendingPath(path: string, at: FieldPath, errors: FieldErrors): void {
  if (path.startsWith('/')) errors.invalid(at, path, 'must be a relative path');
  validateNoBacksteps(path, at, errors);
}

/** Names that begin with two dots are how volumes are updated in one step. */
export function validateNonReservedPath(path: string, at: FieldPath, errors: FieldErrors): void {
  validateDescendingPath(path, at, errors);
  if (path.startsWith('..') && !path.startsWith('../')) errors.invalid(at, path, "must not start with '..'");
}

export function validateFileMode(owner: JsonObject, field: string, at: FieldPath, errors: FieldErrors): void {
  const mode = numberIn(owner, field);
  if (mode > 0o777 || mode < 0)
    errors.invalid(at.child(field), mode, 'must be a number between 0 and 0777 (octal), both inclusive');
}
