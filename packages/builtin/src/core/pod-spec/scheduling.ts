import {
  type FieldErrors,
  type FieldPath,
  isQualifiedName,
  isValidLabelValue,
  type JsonObject,
  numberIn,
  objectIn,
  objectsIn,
  textIn,
  validateLabelName,
  validateLabelSelector,
} from '@tsukube/machinery';
import { isNotPositive, report, validateEnum } from '../../common/field-validation.ts';
import { validateLabelKeys } from './affinity.ts';

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

export function validateTolerations(tolerations: readonly JsonObject[], at: FieldPath, errors: FieldErrors): void {
  for (const [i, toleration] of tolerations.entries()) validateToleration(toleration, at.index(i), errors);
}

function validateToleration(toleration: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const [key, operator, effect] = [textIn(toleration, 'key'), textIn(toleration, 'operator'), textIn(toleration, 'effect')];
  if (key !== '') validateLabelName(key, at.child('key'), errors);
  else if (operator !== 'Exists') {
    const message = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    errors.invalid(at.child('operator'), operator, message);
  }
  if (toleration.tolerationSeconds !== undefined && effect !== 'NoExecute')
    errors.invalid(at.child('effect'), effect, "effect must be 'NoExecute' when `tolerationSeconds` is set");
  validateTolerationOperator(operator, textIn(toleration, 'value'), at.child('operator'), errors);
  if (effect !== '' && !effects.includes(effect)) errors.notSupported(at.child('effect'), effect, effects);
}

function validateTolerationOperator(operator: string, value: string, at: FieldPath, errors: FieldErrors): void {
  if (operator === 'Equal' || operator === '') {
    const problems = isValidLabelValue(value);
    if (problems.length > 0) errors.invalid(at, value, problems.join(';'));
  } else if (operator === 'Exists') {
    if (value !== '') errors.invalid(at, value, "value must be empty when `operator` is 'Exists'");
  } else {
    const compares = operator === 'Lt' || operator === 'Gt';
    errors.notSupported(at, operator, compares ? ['Equal', 'Exists', 'Lt', 'Gt'] : ['Equal', 'Exists']);
  }
}

const actions = ['DoNotSchedule', 'ScheduleAnyway'];
const inclusion = ['Honor', 'Ignore'];

export function validateTopologySpread(spec: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const constraints = objectsIn(spec, 'topologySpreadConstraints');
  const last = new Map(constraints.map((constraint, i) => [spreadKey(constraint), i]));
  for (const [i, constraint] of constraints.entries()) {
    const here = at.index(i);
    const [key, action] = [textIn(constraint, 'topologyKey'), textIn(constraint, 'whenUnsatisfiable')];
    const skew = numberIn(constraint, 'maxSkew');
    if (skew <= 0) errors.invalid(here.child('maxSkew'), skew, isNotPositive);
    if (key === '') errors.required(here.child('topologyKey'), 'can not be empty');
    if (!actions.includes(action)) errors.notSupported(here.child('whenUnsatisfiable'), action, actions);
    if (last.get(spreadKey(constraint)) !== i)
      errors.duplicate(here.child('{topologyKey, whenUnsatisfiable}'), `{${key}, ${action}}`);
    validateMinDomains(constraint, action, here.child('minDomains'), errors);
    for (const policy of ['nodeAffinityPolicy', 'nodeTaintsPolicy']) {
      const word = constraint[policy];
      validateEnum(word, inclusion, here.child(policy), errors);
    }
    validateLabelKeys(constraint, here, errors);
    validateLabelSelector(objectIn(constraint, 'labelSelector'), here.child('labelSelector'), errors);
  }
}

function spreadKey(constraint: JsonObject): string {
  return JSON.stringify([textIn(constraint, 'topologyKey'), textIn(constraint, 'whenUnsatisfiable')]);
}

function validateMinDomains(constraint: JsonObject, action: string, at: FieldPath, errors: FieldErrors): void {
  const { minDomains } = constraint;
  if (minDomains === undefined) return;
  if (Number(minDomains) <= 0) errors.invalid(at, minDomains, isNotPositive);
  if (action !== 'DoNotSchedule')
    errors.invalid(at, minDomains, `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`);
}

export function validateGates(spec: JsonObject, at: FieldPath, errors: FieldErrors): void {
  for (const [i, gate] of objectsIn(spec, 'readinessGates').entries()) {
    const type = textIn(gate, 'conditionType');
    report(isQualifiedName(type), at.child('readinessGates').index(i).child('conditionType'), type, errors);
  }
  const seen = new Set<string>();
  for (const [i, gate] of objectsIn(spec, 'schedulingGates').entries()) {
    const here = at.child('schedulingGates').index(i);
    const name = textIn(gate, 'name');
    report(isQualifiedName(name), here, name, errors);
    if (seen.has(name)) errors.duplicate(here, name);
    seen.add(name);
  }
}
