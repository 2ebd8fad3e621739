import { type FieldErrors, type FieldPath, type JsonObject, repeats, textsIn, validateLabelName } from '@tsukube/machinery';
import { validateList } from './bounded-list.ts';

const maxConditions = 4;
const [success, failure] = ['bindingConditions', 'bindingFailureConditions'];

/** What a pod waits for before it is bound to the device, and what tells it to give up: one needs the other. */
export function validateBindingConditions(device: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const [conditions, failures] = [textsIn(device, success), textsIn(device, failure)];
  validateList(conditions, maxConditions, at.child(success), errors, validateLabelName);
  validateList(failures, maxConditions, at.child(failure), errors, validateLabelName);
  const known = new Set(conditions);
  const [repeated, repeatedFailures] = [repeats(conditions), repeats(failures)];
  for (const [i, condition] of conditions.entries()) if (repeated[i]) errors.duplicate(at.child(success).index(i), condition);
  for (const [i, condition] of failures.entries()) {
    if (repeatedFailures[i]) errors.duplicate(at.child(failure).index(i), condition);
    if (known.has(condition))
      errors.invalid(at.child(failure).index(i), condition, `${failure} must not overlap with ${success}`);
  }
  requireBoth(device, failures, success, failure, at, errors);
  requireBoth(device, conditions, failure, success, at, errors);
}

function requireBoth(
  device: JsonObject,
  used: readonly string[],
  needed: string,
  user: string,
  at: FieldPath,
  errors: FieldErrors,
): void {
  if (used.length > 0 && textsIn(device, needed).length === 0)
    errors.invalid(at.child(needed), device[needed] ?? null, `${needed} are required to use ${user}`);
}
