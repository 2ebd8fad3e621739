import {
  type FieldErrors,
  type FieldPath,
  type JsonObject,
  type KubeObject,
  objectIn,
  path,
  validateImmutableField,
  validateLabelSelector,
} from '@tsukube/machinery';
import { validateNonNegative } from '../common/field-validation.ts';
import { specOf, statusOf } from '../common/spec.ts';
import { selectorIn } from './workload.ts';
import {
  internalStrategy,
  intOrPercentValue,
  isEmptySelector,
  validateAlwaysRestartingTemplate,
  validateCollisionCount,
  validateIntOrPercent,
  validateNotMoreThan100Percent,
  validateTemplateLabels,
} from './workload-validation.ts';

const specPath = path('spec');
const statusPath = path('status');

export function validateDaemonSet(object: KubeObject, errors: FieldErrors): void {
  const spec = specOf(object);
  const template = objectIn(spec, 'template') ?? {};
  const selector = objectIn(spec, 'selector');
  validateLabelSelector(selector, specPath.child('selector'), errors);
  const usable = selectorIn(spec);
  if (usable) validateTemplateLabels(template, usable, specPath.child('template'), errors);
  if (selector && isEmptySelector(selector))
    errors.invalid(specPath.child('selector'), selector, 'empty selector is invalid for daemonset');
  validateAlwaysRestartingTemplate(template, specPath.child('template'), 'DaemonSet', errors);
  validateNonNegative(spec, ['minReadySeconds'], specPath, errors);
  validateStrategy(objectIn(spec, 'updateStrategy') ?? {}, specPath.child('updateStrategy'), errors);
  validateNonNegative(spec, ['revisionHistoryLimit'], specPath, errors);
}

export function validateDaemonSetUpdate(object: KubeObject, old: KubeObject, errors: FieldErrors): void {
  const selector = objectIn(objectIn(object, 'spec'), 'selector');
  validateImmutableField(selector, objectIn(objectIn(old, 'spec'), 'selector'), specPath.child('selector'), errors);
  validateDaemonSet(object, errors);
}

export function validateDaemonSetStatus(object: KubeObject, old: KubeObject, errors: FieldErrors): void {
  const status = statusOf(object);
  const counts = [
    'currentNumberScheduled',
    'numberMisscheduled',
    'desiredNumberScheduled',
    'numberReady',
    'observedGeneration',
    'updatedNumberScheduled',
    'numberAvailable',
    'numberUnavailable',
    'collisionCount',
  ];
  validateNonNegative(status, counts, statusPath, errors);
  validateCollisionCount(status, old, statusPath, errors);
}

function validateStrategy(strategy: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const rollingUpdate = objectIn(strategy, 'rollingUpdate');
  if (strategy.type === 'OnDelete') return;
  if (strategy.type !== 'RollingUpdate') {
    const shown = rollingUpdate
      ? { MaxUnavailable: rollingUpdate.maxUnavailable ?? 0, MaxSurge: rollingUpdate.maxSurge ?? 0 }
      : null;
    errors.notSupported(at, internalStrategy(strategy, shown), ['RollingUpdate', 'OnDelete']);
  } else if (!rollingUpdate) errors.required(at.child('rollingUpdate'));
  else validateRollingUpdate(rollingUpdate, at.child('rollingUpdate'), errors);
}

/** Exactly one of maxUnavailable and maxSurge must be non-zero. */
function validateRollingUpdate({ maxUnavailable, maxSurge }: JsonObject, at: FieldPath, errors: FieldErrors): void {
  validateIntOrPercent(maxUnavailable, at.child('maxUnavailable'), errors);
  validateIntOrPercent(maxSurge, at.child('maxSurge'), errors);
  validateNotMoreThan100Percent(maxUnavailable, at.child('maxUnavailable'), errors);
  validateNotMoreThan100Percent(maxSurge, at.child('maxSurge'), errors);
  const before = intOrPercentValue(maxUnavailable) !== 0;
  const after = intOrPercentValue(maxSurge) !== 0;
  if (before && after) errors.invalid(at.child('maxSurge'), maxSurge, 'may not be set when maxUnavailable is non-zero');
  if (!before && !after) errors.required(at.child('maxUnavailable'), 'cannot be 0 when maxSurge is 0');
}
