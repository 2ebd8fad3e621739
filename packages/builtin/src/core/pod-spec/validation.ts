import type { FieldErrors, FieldPath, JsonObject } from '@tsukube/machinery';
import { objectIn, objectsIn } from './members.ts';

export function validatePodTemplate(template: JsonObject, at: FieldPath, errors: FieldErrors): void {
  validatePodSpec(objectIn(template, 'spec') ?? {}, at.child('spec'), errors);
}

export function validatePodSpec(spec: JsonObject, at: FieldPath, errors: FieldErrors): void {
  if (objectsIn(spec, 'containers').length === 0) errors.required(at.child('containers'));
}
