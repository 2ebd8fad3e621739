import {
  type FieldErrors,
  type FieldPath,
  isDNS1123Label,
  isValidPathSegmentName,
  type JsonObject,
  objectIn,
  objectsIn,
  parseQuantity,
  textIn,
} from '@tsukube/machinery';
import { containerResourceName } from '../core/container/resource-requirements.ts';

type ValidateSource = (source: JsonObject, at: FieldPath, errors: FieldErrors, rules: ReferenceRules) => void;

/** Metric types with their source fields, in the order of validation. */
const sources: readonly { readonly type: string; readonly field: string; readonly validate: ValidateSource }[] = [
  { type: 'Object', field: 'object', validate: validateObjectSource },
  { type: 'External', field: 'external', validate: validateExternalSource },
  { type: 'Pods', field: 'pods', validate: validatePodsSource },
  { type: 'Resource', field: 'resource', validate: validateResourceSource },
  { type: 'ContainerResource', field: 'containerResource', validate: validateContainerSource },
];
const types = sources.map(({ type }) => type).sort();

export function validateMetrics(spec: JsonObject, rules: ReferenceRules, at: FieldPath, errors: FieldErrors): void {
  const metrics = objectsIn(spec, 'metrics');
  for (const [i, metric] of metrics.entries()) validateMetric(metric, rules, at.index(i), errors);
  const countsWithoutPods = metrics.some(({ type }) => type === 'Object' || type === 'External');
  if (spec.minReplicas === 0 && !countsWithoutPods)
    errors.forbidden(at, 'must specify at least one Object or External metric to support scaling to zero replicas');
}

function validateMetric(metric: JsonObject, rules: ReferenceRules, at: FieldPath, errors: FieldErrors): void {
  const type = textIn(metric, 'type');
  const expected = sources.find((source) => source.type === type);
  if (type === '') errors.required(at.child('type'), 'must specify a metric source type');
  if (!expected) errors.notSupported(at.child('type'), type, types);
  const present = sources.filter(({ field }) => metric[field] !== undefined);
  const [first] = present;
  if (first) first.validate(objectIn(metric, first.field) ?? {}, at.child(first.field), errors, rules);
  if (!expected) errors.notSupported(at.child('type'), type, types);
  else if (metric[expected.field] === undefined)
    errors.required(at.child(expected.field), 'must populate information for the given metric source');
  if (present.length === 1) return;
  for (const { field } of present)
    if (field !== expected?.field) errors.forbidden(at.child(field), 'must populate the given metric source only');
}

function validateObjectSource(source: JsonObject, at: FieldPath, errors: FieldErrors, rules: ReferenceRules): void {
  validateObjectReference(objectIn(source, 'describedObject') ?? {}, at.child('describedObject'), rules, errors);
  const target = validateMetricAndTarget(source, at, errors);
  if (target.value === undefined && target.averageValue === undefined)
    errors.required(at.child('target', 'averageValue'), 'must set either a target value or averageValue');
}

function validateExternalSource(source: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const { value, averageValue } = validateMetricAndTarget(source, at, errors);
  if (value === undefined && averageValue === undefined)
    errors.required(at.child('target', 'averageValue'), 'must set either a target value for metric or a per-pod target');
  if (value !== undefined && averageValue !== undefined)
    errors.forbidden(at.child('target', 'value'), 'may not set both a target value for metric and a per-pod target');
}

function validatePodsSource(source: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const target = validateMetricAndTarget(source, at, errors);
  if (target.averageValue === undefined)
    errors.required(at.child('target', 'averageValue'), 'must specify a positive target averageValue');
}

function validateResourceSource(source: JsonObject, at: FieldPath, errors: FieldErrors): void {
  if (textIn(source, 'name') === '') errors.required(at.child('name'), 'must specify a resource name');
  validateUtilization(source, at.child('target'), errors);
}

function validateContainerSource(source: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const name = textIn(source, 'name');
  const container = textIn(source, 'container');
  if (name === '') errors.required(at.child('name'), 'must specify a resource name');
  else containerResourceName(name, at.child('name'), errors);
  if (container === '') errors.required(at.child('container'), 'must specify a container');
  else for (const problem of isDNS1123Label(container)) errors.invalid(at.child('container'), container, problem);
  validateUtilization(source, at.child('target'), errors);
}

function validateUtilization(source: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const target = objectIn(source, 'target') ?? {};
  validateTarget(target, at, errors);
  const { averageUtilization, averageValue } = target;
  if (averageUtilization === undefined && averageValue === undefined)
    errors.required(at.child('averageUtilization'), 'must set either a target raw value or a target utilization');
  if (averageUtilization !== undefined && averageValue !== undefined)
    errors.forbidden(at.child('averageValue'), 'may not set both a target raw value and a target utilization');
}

/** Returns the target. */
function validateMetricAndTarget(source: JsonObject, at: FieldPath, errors: FieldErrors): JsonObject {
  const name = textIn(objectIn(source, 'metric'), 'name');
  const namePath = at.child('metric', 'name');
  if (name === '') errors.required(namePath, 'must specify a metric name');
  for (const problem of isValidPathSegmentName(name)) errors.invalid(namePath, name, problem);
  const target = objectIn(source, 'target') ?? {};
  validateTarget(target, at.child('target'), errors);
  return target;
}

function validateTarget(target: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const type = textIn(target, 'type');
  if (type === '') errors.required(at.child('type'), 'must specify a metric target type');
  if (!['Utilization', 'Value', 'AverageValue'].includes(type))
    errors.invalid(at.child('type'), type, 'must be either Utilization, Value, or AverageValue');
  for (const field of ['value', 'averageValue']) {
    const value = target[field];
    if (value !== undefined && parseQuantity(textIn(target, field)).mantissa <= 0n)
      errors.invalid(at.child(field), value, 'must be positive');
  }
  const { averageUtilization } = target;
  if (averageUtilization !== undefined && Number(averageUtilization) < 1)
    errors.invalid(at.child('averageUtilization'), averageUtilization, 'must be greater than 0');
}

export interface ReferenceRules {
  readonly emptyGroup?: boolean;
  /** Ratcheting: references stored before apiVersion was validated. */
  readonly anyApiVersion?: boolean;
}

/** Validates kind, name and apiVersion of a reference. */
export function validateObjectReference(reference: JsonObject, at: FieldPath, rules: ReferenceRules, errors: FieldErrors): void {
  for (const field of ['kind', 'name']) {
    const value = textIn(reference, field);
    if (value === '') errors.required(at.child(field));
    for (const problem of isValidPathSegmentName(value)) errors.invalid(at.child(field), value, problem);
  }
  const apiVersion = textIn(reference, 'apiVersion');
  const problem = apiVersionProblem(apiVersion, rules);
  if (problem !== undefined) errors.invalid(at.child('apiVersion'), apiVersion, problem);
}

export function apiVersionProblem(apiVersion: string, { emptyGroup, anyApiVersion }: ReferenceRules): string | undefined {
  if (anyApiVersion) return undefined;
  const parts = apiVersion.split('/');
  if (parts.length > 2) return `unexpected GroupVersion string: ${apiVersion}`;
  const hasGroup = parts.length === 2 && parts[0] !== '';
  return hasGroup || emptyGroup ? undefined : 'apiVersion must specify API group';
}
