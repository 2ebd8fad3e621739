import type { FieldErrors } from '../errors/field-errors.ts';
import type { FieldPath } from '../errors/field-path.ts';
import type { JsonObject } from '../schema/type.ts';
import { isQualifiedName } from './labels.ts';

/** Bytes of all keys and values together. */
const totalSizeLimit = 256 * 1024;

export function validateAnnotations(annotations: JsonObject, path: FieldPath, errors: FieldErrors): void {
  let size = 0;
  for (const key of Object.keys(annotations)) {
    for (const message of isQualifiedName(key.toLowerCase())) errors.invalid(path, key, message);
    size += Buffer.byteLength(key) + Buffer.byteLength(String(annotations[key]));
  }
  if (size > totalSizeLimit) errors.tooLong(path, totalSizeLimit);
}
