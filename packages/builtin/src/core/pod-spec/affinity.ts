import {
  type FieldErrors,
  type FieldPath,
  isValidLabelValue,
  type JsonObject,
  nameIsDNSLabel,
  nameIsDNSSubdomain,
  numberIn,
  objectIn,
  objectsIn,
  textIn,
  textsIn,
  validateLabelName,
  validateLabelSelector,
} from '@tsukube/machinery';
import { report } from '../../common/field-validation.ts';
import { validateLabelKeys } from './label-keys.ts';

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
    // What is merely preferred may ask for what no node can have.
    validateNodeTerm(objectIn(term, 'preference') ?? {}, here.child('preference'), errors, false);
  }
}

/** The nodes that are meant, by their labels and names. */
export function validateNodeSelector(selector: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const terms = objectsIn(selector, 'nodeSelectorTerms');
  const here = at.child('nodeSelectorTerms');
  if (terms.length === 0) errors.required(here, 'must have at least one node selector term');
  for (const [i, term] of terms.entries()) validateNodeTerm(term, here.index(i), errors, true);
}

function validateNodeTerm(term: JsonObject, at: FieldPath, errors: FieldErrors, checkValues: boolean): void {
  for (const [i, expression] of objectsIn(term, 'matchExpressions').entries())
    validateExpression(expression, at.child('matchExpressions').index(i), errors, checkValues);
  for (const [i, field] of objectsIn(term, 'matchFields').entries())
    validateField(field, at.child('matchFields').index(i), errors);
}

function validateExpression(expression: JsonObject, at: FieldPath, errors: FieldErrors, checkValues: boolean): void {
  const [operator, values] = [textIn(expression, 'operator'), textsIn(expression, 'values')];
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) errors.required(at.child('values'), "must be specified when `operator` is 'In' or 'NotIn'");
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0)
      errors.forbidden(at.child('values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  } else if (operator === 'Gt' || operator === 'Lt') {
    if (values.length !== 1)
      errors.required(at.child('values'), "must be specified single value when `operator` is 'Lt' or 'Gt'");
  } else errors.invalid(at.child('operator'), operator, 'not a valid selector operator');
  validateLabelName(textIn(expression, 'key'), at.child('key'), errors);
  if (!checkValues) return;
  for (const [i, value] of values.entries()) report(isValidLabelValue(value), at.child('values').index(i), value, errors);
}

function validateField(field: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const [operator, key, values] = [textIn(field, 'operator'), textIn(field, 'key'), textsIn(field, 'values')];
  if (operator !== 'In' && operator !== 'NotIn') errors.invalid(at.child('operator'), operator, 'not a valid selector operator');
  else if (values.length !== 1) {
    const message = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    errors.required(at.child('values'), message);
  }
  if (key !== 'metadata.name') errors.invalid(at.child('key'), key, 'not a valid field selector key');
  else
    for (const [i, value] of values.entries())
      report(nameIsDNSSubdomain(value, false), at.child('values').index(i), value, errors);
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
