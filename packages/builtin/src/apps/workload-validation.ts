import {
  type FieldErrors,
  type FieldPath,
  type JsonObject,
  type JsonValue,
  type LabelSelector,
  labelSelectorOf,
  listIn,
  mapIn,
  numberIn,
  objectIn,
  textIn,
  validateLabelSelector,
} from '@tsukube/machinery';
import { notNegative } from '../common/field-validation.ts';
import { validatePodTemplate } from '../core/pod-spec/validation.ts';

/** Validates and parses the selector; undefined if it is invalid. `word` is the kind in messages. */
export function validateSelector(
  spec: JsonObject,
  at: FieldPath,
  word: string,
  conversionError: string,
  errors: FieldErrors,
): LabelSelector | undefined {
  const selector = objectIn(spec, 'selector');
  const selectorPath = at.child('selector');
  if (!selector) errors.required(selectorPath);
  validateLabelSelector(selector, selectorPath, errors);
  if (selector && isEmptySelector(selector)) errors.invalid(selectorPath, selector, `empty selector is invalid for ${word}`);
  try {
    return labelSelectorOf(selector);
  } catch {
    errors.invalid(selectorPath, selector, conversionError);
    return undefined;
  }
}

export function isEmptySelector(selector: JsonObject): boolean {
  return Object.keys(mapIn(selector, 'matchLabels')).length + listIn(selector, 'matchExpressions').length === 0;
}

/** The selector must match the labels of the template. */
export function validateTemplateLabels(template: JsonObject, selector: LabelSelector, at: FieldPath, errors: FieldErrors): void {
  const labels = objectIn(objectIn(template, 'metadata'), 'labels');
  if (!selector.matches(labels))
    errors.invalid(at.child('metadata', 'labels'), labels, '`selector` does not match template `labels`');
}

/** Validates a pod template with restartPolicy Always. `kind` is the owner in messages. */
export function validateAlwaysRestartingTemplate(template: JsonObject, at: FieldPath, kind: string, errors: FieldErrors): void {
  validatePodTemplate(template, at, errors);
  validateAlwaysRestarting(template, at, kind, errors);
}

export function validateAlwaysRestarting(template: JsonObject, at: FieldPath, kind: string, errors: FieldErrors): void {
  const spec = objectIn(template, 'spec');
  const restartPolicy = textIn(spec, 'restartPolicy');
  if (restartPolicy !== 'Always') errors.notSupported(at.child('spec', 'restartPolicy'), restartPolicy, ['Always']);
  if (spec?.activeDeadlineSeconds !== undefined)
    errors.forbidden(at.child('spec', 'activeDeadlineSeconds'), `activeDeadlineSeconds in ${kind} is not Supported`);
}

/** The template of a Deployment or ReplicaSet. */
export function validateReplicatedTemplate(spec: JsonObject, selector: LabelSelector, at: FieldPath, errors: FieldErrors): void {
  const template = objectIn(spec, 'template') ?? {};
  validateTemplateLabels(template, selector, at, errors);
  validateAlwaysRestartingTemplate(template, at, 'ReplicaSet', errors);
}

/** Rejects status counts above status.replicas. */
export function validateNotAboveReplicas(status: JsonObject, parts: readonly string[], at: FieldPath, errors: FieldErrors): void {
  const replicas = numberIn(status, 'replicas');
  for (const part of parts) {
    const count = numberIn(status, part);
    if (count > replicas) errors.invalid(at.child(part), count, 'cannot be greater than status.replicas');
  }
}

export function validateAvailable(status: JsonObject, ready: string, at: FieldPath, errors: FieldErrors): void {
  const available = numberIn(status, 'availableReplicas');
  if (available > numberIn(status, 'readyReplicas'))
    errors.invalid(at.child('availableReplicas'), available, `cannot be greater than ${ready}`);
}

/** collisionCount must not decrease: it keeps generated names unique. */
export function validateCollisionCount(
  status: JsonObject,
  old: JsonObject | undefined,
  at: FieldPath,
  errors: FieldErrors,
): void {
  const before = objectIn(old, 'status')?.collisionCount;
  const count = numberIn(status, 'collisionCount');
  if (before !== undefined && count < Number(before)) errors.invalid(at.child('collisionCount'), count, 'cannot be decremented');
}

const percentPattern = /^[0-9]+%$/;
const percentMessage =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

/** A non-negative number or a percentage. */
export function validateIntOrPercent(value: JsonValue | undefined, at: FieldPath, errors: FieldErrors): void {
  if (typeof value === 'string') {
    if (!percentPattern.test(value)) errors.invalid(at, value, percentMessage);
  } else if (Number(value ?? 0) < 0) errors.invalid(at, value, notNegative);
}

export function validateNotMoreThan100Percent(value: JsonValue | undefined, at: FieldPath, errors: FieldErrors): void {
  if (typeof value === 'string' && percentPattern.test(value) && intOrPercentValue(value) > 100)
    errors.invalid(at, value, 'must not be greater than 100%');
}

/** The number of an IntOrString, with or without `%`; 0 if it is malformed. */
export function intOrPercentValue(value: JsonValue | undefined): number {
  if (typeof value !== 'string') return Number(value ?? 0);
  return percentPattern.test(value) ? Number(value.slice(0, -1)) : Number(/^[+-]?[0-9]+$/.exec(value)?.[0] ?? 0);
}

/** A strategy with the Go field names of the internal type, for messages. */
export function internalStrategy(strategy: JsonObject, rollingUpdate: JsonValue): JsonObject {
  return { Type: textIn(strategy, 'type'), RollingUpdate: rollingUpdate };
}
