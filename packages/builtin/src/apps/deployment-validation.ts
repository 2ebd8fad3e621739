import {
  type FieldErrors,
  type FieldPath,
  type JsonObject,
  type KubeObject,
  mapIn,
  numberIn,
  objectIn,
  path,
  validateImmutableField,
} from '@tsukube/machinery';
import { notNegative, validateNonNegative } from '../common/field-validation.ts';
import { specOf, statusOf } from '../common/spec.ts';
import { parseInt64Annotation } from './workload.ts';
import {
  internalStrategy,
  intOrPercentValue,
  validateAvailable,
  validateCollisionCount,
  validateIntOrPercent,
  validateNotAboveReplicas,
  validateNotMoreThan100Percent,
  validateReplicatedTemplate,
  validateSelector,
} from './workload-validation.ts';

const specPath = path('spec');
const statusPath = path('status');

export function validateDeployment(object: KubeObject, errors: FieldErrors): void {
  const spec = specOf(object);
  validateNonNegative(spec, ['replicas'], specPath, errors);
  const selector = validateSelector(spec, specPath, 'deployment', 'invalid label selector', errors);
  if (selector) validateReplicatedTemplate(spec, selector, specPath.child('template'), errors);
  validateStrategy(objectIn(spec, 'strategy') ?? {}, specPath.child('strategy'), errors);
  validateNonNegative(spec, ['minReadySeconds', 'revisionHistoryLimit'], specPath, errors);
  validateRollback(object, specPath.child('rollback', 'version'), errors);
  validateNonNegative(spec, ['progressDeadlineSeconds'], specPath, errors);
  const deadline = spec.progressDeadlineSeconds;
  if (deadline !== undefined && Number(deadline) <= numberIn(spec, 'minReadySeconds'))
    errors.invalid(specPath.child('progressDeadlineSeconds'), deadline, 'must be greater than minReadySeconds');
}

export function validateDeploymentUpdate(object: KubeObject, old: KubeObject, errors: FieldErrors): void {
  validateDeployment(object, errors);
  const selector = objectIn(objectIn(object, 'spec'), 'selector');
  validateImmutableField(selector, objectIn(objectIn(old, 'spec'), 'selector'), specPath.child('selector'), errors);
}

export function validateDeploymentStatus(object: KubeObject, old: KubeObject, errors: FieldErrors): void {
  const status = statusOf(object);
  const counts = [
    'observedGeneration',
    'replicas',
    'updatedReplicas',
    'readyReplicas',
    'availableReplicas',
    'unavailableReplicas',
    'terminatingReplicas',
    'collisionCount',
  ];
  validateNonNegative(status, counts, statusPath, errors);
  validateNotAboveReplicas(status, ['updatedReplicas', 'readyReplicas', 'availableReplicas'], statusPath, errors);
  validateAvailable(status, 'readyReplicas', statusPath, errors);
  validateCollisionCount(status, old, statusPath, errors);
}

function validateStrategy(strategy: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const rollingUpdate = objectIn(strategy, 'rollingUpdate');
  if (strategy.type === 'Recreate') {
    if (rollingUpdate) errors.forbidden(at.child('rollingUpdate'), "may not be specified when strategy `type` is 'Recreate'");
  } else if (strategy.type === 'RollingUpdate') {
    validateRollingUpdate(rollingUpdate ?? {}, at.child('rollingUpdate'), errors);
  } else {
    errors.notSupported(at, internalStrategy(strategy, rollingUpdate ? internalRollingUpdate(rollingUpdate) : null), [
      'Recreate',
      'RollingUpdate',
    ]);
  }
}

function internalRollingUpdate({ maxUnavailable, maxSurge }: JsonObject): JsonObject {
  return { MaxUnavailable: maxUnavailable ?? 0, MaxSurge: maxSurge ?? 0 };
}

function validateRollingUpdate({ maxUnavailable, maxSurge }: JsonObject, at: FieldPath, errors: FieldErrors): void {
  validateIntOrPercent(maxUnavailable, at.child('maxUnavailable'), errors);
  validateIntOrPercent(maxSurge, at.child('maxSurge'), errors);
  if (intOrPercentValue(maxUnavailable) === 0 && intOrPercentValue(maxSurge) === 0)
    errors.invalid(at.child('maxUnavailable'), maxUnavailable, 'may not be 0 when `maxSurge` is 0');
  validateNotMoreThan100Percent(maxUnavailable, at.child('maxUnavailable'), errors);
}

/** Holds the rollback revision, a field of removed versions. */
const annotation = 'deprecated.deployment.rollback.to';

/** Rewrites the revision in canonical form. Throws 400 if it is not a number. */
export function normalizeRollback(object: KubeObject): void {
  const revision = revisionOf(object);
  const { annotations } = object.metadata;
  if (annotations && revision !== undefined) annotations[annotation] = String(revision);
}

function validateRollback(object: KubeObject, at: FieldPath, errors: FieldErrors): void {
  const revision = revisionOf(object);
  if (revision !== undefined && revision < 0n) errors.invalid(at, revision, notNegative);
}

function revisionOf(object: KubeObject): bigint | undefined {
  const text = mapIn(object.metadata, 'annotations')[annotation];
  if (text === undefined || text === '') return undefined;
  return parseInt64Annotation(text, 'Deployment', `failed to parse annotation[${annotation}]=${text} as int64: `);
}
