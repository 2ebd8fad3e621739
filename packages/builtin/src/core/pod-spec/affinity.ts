import {
  type FieldErrors,
  type FieldPath,
  type JsonObject,
  nameIsDNSLabel,
  numberIn,
  objectIn,
  objectsIn,
  textIn,
  textsIn,
  validateLabelName,
  validateLabelSelector,
} from '@tsukube/machinery';
import { report } from '../../common/field-validation.ts';
import { validateNodeSelector, validateNodeSelectorTerm } from '../../common/node-selector.ts';

const required = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';

export function validateAffinity(spec: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const affinity = objectIn(spec, 'affinity');
  validateNodeAffinity(objectIn(affinity, 'nodeAffinity'), at.child('nodeAffinity'), errors);
  for (const kind of ['podAffinity', 'podAntiAffinity']) validatePodAffinity(objectIn(affinity, kind), at.child(kind), errors);
}

function validateNodeAffinity(affinity: JsonObject | undefined, at: FieldPath, errors: FieldErrors): void {
  const selector = objectIn(affinity, required);
  if (selector) validateNodeSelector(selector, at.child(required), errors);
  for (const [i, term] of objectsIn(affinity, preferred).entries()) {
    const here = at.child(preferred).index(i);
    validateWeight(term, here, errors);
    // Kubernetes does not validate label values of preferred terms.
    validateNodeSelectorTerm(objectIn(term, 'preference') ?? {}, here.child('preference'), errors, false);
  }
}

function validateWeight(term: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const weight = numberIn(term, 'weight');
  if (weight <= 0 || weight > 100) errors.invalid(at.child('weight'), weight, 'must be in the range 1-100');
}

function validatePodAffinity(affinity: JsonObject | undefined, at: FieldPath, errors: FieldErrors): void {
  for (const [i, term] of objectsIn(affinity, required).entries()) validatePodTerm(term, at.child(required).index(i), errors);
  for (const [i, weighted] of objectsIn(affinity, preferred).entries()) {
    const here = at.child(preferred).index(i);
    validateWeight(weighted, here, errors);
    validatePodTerm(objectIn(weighted, 'podAffinityTerm') ?? {}, here.child('podAffinityTerm'), errors);
  }
}

function validatePodTerm(term: JsonObject, at: FieldPath, errors: FieldErrors): void {
  for (const selector of ['labelSelector', 'namespaceSelector'])
    validateLabelSelector(objectIn(term, selector), at.child(selector), errors);
  for (const name of textsIn(term, 'namespaces')) report(nameIsDNSLabel(name, false), at.child('namespace'), name, errors);
  validateLabelKeys(term, at, errors);
  const key = textIn(term, 'topologyKey');
  if (key === '') errors.required(at.child('topologyKey'), 'can not be empty');
  validateLabelName(key, at.child('topologyKey'), errors);
}

/** Validates matchLabelKeys and mismatchLabelKeys. */
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

/** The server adds an expression for each key on create, so a key that was also in the selector occurs twice. */
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
