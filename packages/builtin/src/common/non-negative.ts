import type { FieldErrors, FieldPath, JsonObject } from '@tsukube/machinery';

export const notNegative = 'must be greater than or equal to 0';

/** Refuses each of the fields that is below zero; what is absent counts as zero. */
export function validateNonNegative(owner: JsonObject, fields: readonly string[], at: FieldPath, errors: FieldErrors): void {
  for (const field of fields) {
    const value = owner[field];
    if ((typeof value === 'number' || typeof value === 'bigint') && value < 0)
      errors.invalid(at.child(field), value, notNegative);
  }
}
