import { type FieldErrors, type FieldPath, isQualifiedName, type JsonObject, mapIn } from '@tsukube/machinery';
import { report } from '../common/field-validation.ts';

const maxParameters = 512;
const maxBytes = 256 << 10;

/** The name of who provides volumes. */
export function validateProvisioner(name: string, at: FieldPath, errors: FieldErrors): void {
  if (name === '') errors.required(at);
  else report(isQualifiedName(name.toLowerCase()), at, name.toLowerCase(), errors);
}

export function validateParameters(object: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const entries = Object.entries(mapIn(object, 'parameters'));
  if (entries.length > maxParameters) {
    errors.tooLong(at, maxParameters);
    return;
  }
  if (entries.some(([key]) => key === '')) errors.invalid(at, '', 'field can not be empty.');
  if (bytesOf(entries) > maxBytes) errors.tooLong(at, maxBytes);
}

export function bytesOf(entries: readonly (readonly [string, string])[]): number {
  return entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
}
