import {
  type FieldErrors,
  type FieldPath,
  isValidLabelValue,
  type JsonObject,
  nameIsDNSSubdomain,
  objectsIn,
  textIn,
  textsIn,
  validateLabelName,
} from '@tsukube/machinery';
import { report } from './field-validation.ts';

/** Validates a core/v1 NodeSelector. */
export function validateNodeSelector(selector: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const terms = objectsIn(selector, 'nodeSelectorTerms');
  const here = at.child('nodeSelectorTerms');
  if (terms.length === 0) errors.required(here, 'must have at least one node selector term');
  for (const [i, term] of terms.entries()) validateNodeSelectorTerm(term, here.index(i), errors, true);
}

export function validateNodeSelectorTerm(term: JsonObject, at: FieldPath, errors: FieldErrors, checkValues: boolean): void {
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

const deprecatedNodeLabels = new Map([
  ['beta.kubernetes.io/arch', 'deprecated since v1.14; use "kubernetes.io/arch" instead'],
  ['beta.kubernetes.io/os', 'deprecated since v1.14; use "kubernetes.io/os" instead'],
  ['failure-domain.beta.kubernetes.io/region', 'deprecated since v1.17; use "topology.kubernetes.io/region" instead'],
  ['failure-domain.beta.kubernetes.io/zone', 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead'],
  ['beta.kubernetes.io/instance-type', 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead'],
  ['app.kubernetes.io/created-by', 'deprecated since v1.9'],
  ['scheduler.alpha.kubernetes.io/preferAvoidPods', 'deprecated since v1.22; use Taints and Tolerations instead'],
  ['node-role.kubernetes.io/master', 'use "node-role.kubernetes.io/control-plane" instead'],
]);

/** The deprecation message of a node label; undefined if it is not deprecated. */
export function nodeLabelDeprecation(key: string): string | undefined {
  return deprecatedNodeLabels.get(key);
}

/** Warnings for deprecated node labels in the matchExpressions of a selector. */
export function deprecatedLabelWarnings(selector: JsonObject | undefined, at: FieldPath): readonly string[] {
  return objectsIn(selector, 'matchExpressions').flatMap((expression, i) => {
    const key = textIn(expression, 'key');
    const message = nodeLabelDeprecation(key);
    return message ? [`${at.child('matchExpressions').index(i).child('key')}: ${key} is ${message}`] : [];
  });
}
