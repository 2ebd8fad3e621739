import {
  type FieldErrors,
  type FieldPath,
  type JsonObject,
  mapIn,
  metadataOf,
  numberIn,
  objectIn,
  path,
  validateImmutableField,
} from '@tsukube/machinery';
import { notNegative, validateNonNegative } from '../common/field-validation.ts';
import { specOf, statusOf } from '../common/spec.ts';
import { parseAnnotation } from './number-annotation.ts';
import {
  amountOf,
  shownStrategy,
  validateAtMostAll,
  validateAvailable,
  validateCollisionCount,
  validateIntOrPercent,
  validatePartsOfReplicas,
  validateReplicatedTemplate,
  validateSelector,
} from './workload-validation.ts';

const specPath = path('spec');
const statusPath = path('status');

export function validateDeployment(object: JsonObject, errors: FieldErrors): void {
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

export function validateDeploymentUpdate(object: JsonObject, old: JsonObject, errors: FieldErrors): void {
  validateDeployment(object, errors);
  const selector = objectIn(objectIn(object, 'spec'), 'selector');
  validateImmutableField(selector, objectIn(objectIn(old, 'spec'), 'selector'), specPath.child('selector'), errors);
}

export function validateDeploymentStatus(object: JsonObject, old: JsonObject, errors: FieldErrors): void {
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
  validatePartsOfReplicas(status, ['updatedReplicas', 'readyReplicas', 'availableReplicas'], statusPath, errors);
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
    errors.notSupported(at, shownStrategy(strategy, rollingUpdate ? shownRollingUpdate(rollingUpdate) : null), [
      'Recreate',
      'RollingUpdate',
    ]);
  }
}

function shownRollingUpdate({ maxUnavailable, maxSurge }: JsonObject): JsonObject {
  return { MaxUnavailable: maxUnavailable ?? 0, MaxSurge: maxSurge ?? 0 };
}

function validateRollingUpdate({ maxUnavailable, maxSurge }: JsonObject, at: FieldPath, errors: FieldErrors): void {
  validateIntOrPercent(maxUnavailable, at.child('maxUnavailable'), errors);
  validateIntOrPercent(maxSurge, at.child('maxSurge'), errors);
  if (amountOf(maxUnavailable) === 0 && amountOf(maxSurge) === 0)
    errors.invalid(at.child('maxUnavailable'), maxUnavailable, 'may not be 0 when `maxSurge` is 0');
  validateAtMostAll(maxUnavailable, at.child('maxUnavailable'), errors);
}

/** The revision to go back to was a field of versions that are gone; old clients still find it in an annotation. */
const annotation = 'deprecated.deployment.rollback.to';

/** Fails with 400 if it is no number. */
export function normalizeRollback(object: JsonObject): void {
  const revision = revisionOf(object);
  const annotations = objectIn(metadataOf(object), 'annotations');
  if (annotations && revision !== undefined) annotations[annotation] = String(revision);
}

export function validateRollback(object: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const revision = revisionOf(object);
  if (revision !== undefined && revision < 0n) errors.invalid(at, revision, notNegative);
}

function revisionOf(object: JsonObject): bigint | undefined {
  const text = mapIn(metadataOf(object), 'annotations')[annotation];
  if (text === undefined || text === '') return undefined;
  return parseAnnotation(text, 'Deployment', `failed to parse annotation[${annotation}]=${text} as int64: `);
}
