import {
  type FieldErrors,
  type FieldPath,
  type JsonObject,
  objectIn,
  objectsIn,
  textIn,
  textsIn,
  validateLabelName,
} from '@tsukube/machinery';

/** Keys of labels whose values are taken from the pod itself. */
export function validateLabelKeys(term: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const selector = objectIn(term, 'labelSelector');
  const [match, mismatch] = [textsIn(term, 'matchLabelKeys'), textsIn(term, 'mismatchLabelKeys')];
  validateKeys(match, selector, at.child('matchLabelKeys'), errors);
  validateKeys(mismatch, selector, at.child('mismatchLabelKeys'), errors);
  validateNotSelected(match, selector, at, errors);
  const mismatches = new Set(mismatch);
  for (const [i, key] of match.entries()) {
    if (mismatches.has(key))
      errors.invalid(at.child('matchLabelKeys').index(i), key, 'exists in both matchLabelKeys and mismatchLabelKeys');
  }
}

function validateKeys(keys: readonly string[], selector: JsonObject | undefined, at: FieldPath, errors: FieldErrors): void {
  if (keys.length === 0) return;
  if (!selector) errors.forbidden(at, 'must not be specified when labelSelector is not set');
  else for (const [i, key] of keys.entries()) validateLabelName(key, at.index(i), errors);
}

/** The server has added an expression for each key, so a key that was there before is there twice. */
function validateNotSelected(
  keys: readonly string[],
  selector: JsonObject | undefined,
  at: FieldPath,
  errors: FieldErrors,
): void {
  const seen = new Set(Object.keys(objectIn(selector, 'matchLabels') ?? {}));
  for (const expression of objectsIn(selector, 'matchExpressions')) {
    const key = textIn(expression, 'key');
    const place = keys.lastIndexOf(key);
    if (place >= 0 && seen.has(key)) errors.invalid(at.index(place), key, 'exists in both matchLabelKeys and labelSelector');
    seen.add(key);
  }
}
