import {
  type FieldErrors,
  type FieldPath,
  type JsonObject,
  type JsonValue,
  type LabelSelector,
  labelSelectorOf,
  numberIn,
  objectIn,
  textIn,
  validateLabelSelector,
} from '@tsukube/machinery';
import { notNegative } from '../common/field-validation.ts';
import { validatePodTemplate } from '../core/pod-spec/validation.ts';

/** The selector, checked; undefined if it cannot be used. `word` names the kind in messages. */
export function validateSelector(
  spec: JsonObject,
  at: FieldPath,
  word: string,
  whenUnusable: string,
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
    errors.invalid(selectorPath, selector, whenUnusable);
    return undefined;
  }
}

export function isEmptySelector({ matchLabels, matchExpressions }: JsonObject): boolean {
  return Object.keys(matchLabels ?? {}).length + ((matchExpressions ?? []) as unknown[]).length === 0;
}

/** Pods have to carry the labels by which they are found. */
export function validateTemplateLabels(template: JsonObject, selector: LabelSelector, at: FieldPath, errors: FieldErrors): void {
  const labels = objectIn(objectIn(template, 'metadata'), 'labels');
  if (!selector.matches(labels))
    errors.invalid(at.child('metadata', 'labels'), labels, '`selector` does not match template `labels`');
}

/** Pods that run until they are deleted. `kind` names who refuses a deadline. */
export function validateLastingTemplate(template: JsonObject, at: FieldPath, kind: string, errors: FieldErrors): void {
  validatePodTemplate(template, at, errors);
  validateLasting(template, at, kind, errors);
}

export function validateLasting(template: JsonObject, at: FieldPath, kind: string, errors: FieldErrors): void {
  const spec = objectIn(template, 'spec');
  const restartPolicy = textIn(spec, 'restartPolicy');
  if (restartPolicy !== 'Always') errors.notSupported(at.child('spec', 'restartPolicy'), restartPolicy, ['Always']);
  if (spec?.activeDeadlineSeconds !== undefined)
    errors.forbidden(at.child('spec', 'activeDeadlineSeconds'), `activeDeadlineSeconds in ${kind} is not Supported`);
}

/** Deployments and replica sets. */
export function validateReplicatedTemplate(spec: JsonObject, selector: LabelSelector, at: FieldPath, errors: FieldErrors): void {
  const template = objectIn(spec, 'template') ?? {};
  validateTemplateLabels(template, selector, at, errors);
  validateLastingTemplate(template, at, 'ReplicaSet', errors);
}

/** Refuses counts that are greater than the count they are a part of. */
export function validatePartsOfReplicas(status: JsonObject, parts: readonly string[], at: FieldPath, errors: FieldErrors): void {
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

/** It keeps new names from meeting old ones, so it only grows. */
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

/** A number of pods, or a share of them. */
export function validateIntOrPercent(value: JsonValue | undefined, at: FieldPath, errors: FieldErrors): void {
  if (typeof value === 'string') {
    if (!percentPattern.test(value)) errors.invalid(at, value, percentMessage);
  } else if (Number(value ?? 0) < 0) errors.invalid(at, value, notNegative);
}

export function validateAtMostAll(value: JsonValue | undefined, at: FieldPath, errors: FieldErrors): void {
  if (typeof value === 'string' && percentPattern.test(value) && amountOf(value) > 100)
    errors.invalid(at, value, 'must not be greater than 100%');
}

/** The number, be it one of pods or of percents; what is no number counts as zero. */
export function amountOf(value: JsonValue | undefined): number {
  if (typeof value !== 'string') return Number(value ?? 0);
  return percentPattern.test(value) ? Number(value.slice(0, -1)) : Number(/^[+-]?[0-9]+$/.exec(value)?.[0] ?? 0);
}

/** A strategy in a message has the names of Go's fields. */
export function shownStrategy({ type }: JsonObject, rollingUpdate: JsonValue): JsonObject {
  return { Type: type as string, RollingUpdate: rollingUpdate };
}
