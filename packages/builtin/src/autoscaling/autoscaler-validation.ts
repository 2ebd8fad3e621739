import {
  type FieldErrors,
  type FieldPath,
  type JsonObject,
  type KubeObject,
  numberIn,
  objectIn,
  objectsIn,
  parseQuantity,
  path,
  textIn,
} from '@tsukube/machinery';
import { notNegative, validateNonNegative } from '../common/field-validation.ts';
import { specOf, statusOf } from '../common/objects.ts';
import { apiVersionProblem, type ReferenceRules, validateMetrics, validateObjectReference } from './metric-validation.ts';

const specPath = path('spec');
const maxPeriodSeconds = 1800;
const maxWindowSeconds = 3600;

export function validateAutoscaler(object: KubeObject, old: KubeObject | undefined, errors: FieldErrors): void {
  const spec = specOf(object);
  const oldSpec = objectIn(old, 'spec');
  validateReplicas(spec, oldSpec?.minReplicas === 0 ? 0 : 1, errors);
  const target = objectIn(spec, 'scaleTargetRef') ?? {};
  validateObjectReference(target, specPath.child('scaleTargetRef'), targetRules(target, oldSpec), errors);
  validateMetrics(spec, metricRules(oldSpec), specPath.child('metrics'), errors);
  const behavior = objectIn(spec, 'behavior');
  for (const direction of ['scaleUp', 'scaleDown']) {
    const rules = objectIn(behavior, direction);
    if (rules) validateScalingRules(rules, specPath.child('behavior', direction), errors);
  }
}

export function validateAutoscalerStatus(object: KubeObject, errors: FieldErrors): void {
  const status = statusOf(object);
  validateNonNegative(status, ['currentReplicas', 'desiredReplicas'], path('status'), errors);
}

function validateReplicas(spec: JsonObject, lowest: number, errors: FieldErrors): void {
  const minReplicas = spec.minReplicas === undefined ? undefined : numberIn(spec, 'minReplicas');
  const maxReplicas = numberIn(spec, 'maxReplicas');
  const maxPath = specPath.child('maxReplicas');
  if (minReplicas !== undefined && minReplicas < lowest)
    errors.invalid(specPath.child('minReplicas'), minReplicas, `must be greater than or equal to ${lowest}`);
  if (maxReplicas === 0) errors.required(maxPath, 'must be set and greater than 0');
  else if (maxReplicas < 0) errors.invalid(maxPath, maxReplicas, 'must be greater than or equal to 1');
  if (minReplicas !== undefined && maxReplicas < minReplicas)
    errors.invalid(maxPath, maxReplicas, 'must be greater than or equal to `minReplicas`');
}

/** Ratcheting: an unchanged target stays valid. Only ReplicationControllers have no group. */
function targetRules(target: JsonObject, oldSpec: JsonObject | undefined): ReferenceRules {
  const old = objectIn(oldSpec, 'scaleTargetRef');
  const same = old !== undefined && ['apiVersion', 'kind'].every((field) => textIn(old, field) === textIn(target, field));
  if (same) return { anyApiVersion: true };
  return { emptyGroup: target.kind === 'ReplicationController' };
}

function metricRules(oldSpec: JsonObject | undefined): ReferenceRules {
  const wasInvalid = objectsIn(oldSpec, 'metrics').some(
    (metric) =>
      metric.type === 'Object' &&
      apiVersionProblem(textIn(objectIn(objectIn(metric, 'object'), 'describedObject'), 'apiVersion'), { emptyGroup: true }),
  );
  return { emptyGroup: true, anyApiVersion: wasInvalid };
}

const selectPolicies = ['Disabled', 'Max', 'Min'];

function validateScalingRules(rules: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const window = rules.stabilizationWindowSeconds;
  const windowPath = at.child('stabilizationWindowSeconds');
  if (Number(window ?? 0) < 0) errors.invalid(windowPath, window, 'must be greater than or equal to zero');
  if (Number(window ?? 0) > maxWindowSeconds)
    errors.invalid(windowPath, window, `must be less than or equal to ${maxWindowSeconds}`);
  if (rules.selectPolicy !== undefined && !selectPolicies.includes(textIn(rules, 'selectPolicy')))
    errors.notSupported(at.child('selectPolicy'), rules.selectPolicy, selectPolicies);
  const policies = objectsIn(rules, 'policies');
  if (policies.length === 0) errors.required(at.child('policies'), 'must specify at least one Policy');
  for (const [i, policy] of policies.entries()) validatePolicy(policy, at.child('policies').index(i), errors);
  const { tolerance } = rules;
  if (tolerance !== undefined && parseQuantity(textIn(rules, 'tolerance')).mantissa < 0n)
    errors.invalid(at.child('tolerance'), tolerance, notNegative);
}

const policyTypes = ['Percent', 'Pods'];

function validatePolicy(policy: JsonObject, at: FieldPath, errors: FieldErrors): void {
  if (!policyTypes.includes(textIn(policy, 'type'))) errors.notSupported(at.child('type'), textIn(policy, 'type'), policyTypes);
  for (const field of ['value', 'periodSeconds']) {
    const value = numberIn(policy, field);
    if (value <= 0) errors.invalid(at.child(field), value, 'must be greater than zero');
  }
  const period = numberIn(policy, 'periodSeconds');
  if (period > maxPeriodSeconds)
    errors.invalid(at.child('periodSeconds'), period, `must be less than or equal to ${maxPeriodSeconds}`);
}
