import {
  deepEqual,
  FieldErrors,
  type FieldPath,
  isDNS1123Label,
  type JsonObject,
  type KubeObject,
  numberIn,
  objectIn,
  objectsIn,
  path,
  textIn,
  validateAnnotations,
  validateLabels,
} from '@tsukube/machinery';
import { notNegative, validateNonNegative } from '../common/field-validation.ts';
import { specOf, statusOf } from '../common/spec.ts';
import { validatePodTemplate } from '../core/pod-spec/validation.ts';
import { validateClaimTemplates, withClaimedVolumes } from './claim-templates.ts';
import {
  internalStrategy,
  validateAlwaysRestarting,
  validateAvailable,
  validateCollisionCount,
  validateNotAboveReplicas,
  validateSelector,
  validateTemplateLabels,
} from './workload-validation.ts';

const specPath = path('spec');
const statusPath = path('status');

/** Ratcheting: an update skips immutable fields, and the template if the old one was invalid. */
interface Ratcheting {
  readonly update?: boolean;
  readonly anyTemplate?: boolean;
}

export function validateStatefulSet(object: KubeObject, errors: FieldErrors): void {
  validateSpec(specOf(object), {}, errors);
}

const mutable = [
  'replicas',
  'template',
  'updateStrategy',
  'minReadySeconds',
  'ordinals',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
];

export function validateStatefulSetUpdate(object: KubeObject, old: KubeObject, errors: FieldErrors): void {
  const spec = specOf(object);
  const oldSpec = specOf(old);
  const before = new FieldErrors();
  validateSpec(oldSpec, { update: true }, before);
  validateSpec(spec, { update: true, anyTemplate: before.length > 0 }, errors);
  if (!deepEqual(without(spec, mutable), without(oldSpec, mutable)))
    errors.forbidden(
      specPath,
      "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    );
}

function without(spec: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(spec).filter(([field]) => !fields.includes(field)));
}

export function validateStatefulSetStatus(object: KubeObject, old: KubeObject, errors: FieldErrors): void {
  const status = statusOf(object);
  const parts = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'];
  validateNonNegative(status, ['replicas', ...parts, 'observedGeneration', 'collisionCount'], statusPath, errors);
  validateNotAboveReplicas(status, parts, statusPath, errors);
  validateAvailable(status, 'status.readyReplicas', statusPath, errors);
  validateCollisionCount(status, old, statusPath, errors);
}

function validateSpec(spec: JsonObject, rules: Ratcheting, errors: FieldErrors): void {
  const policy = textIn(spec, 'podManagementPolicy');
  if (policy !== 'OrderedReady' && policy !== 'Parallel')
    errors.invalid(specPath.child('podManagementPolicy'), policy, "must be 'OrderedReady' or 'Parallel'");
  validateUpdateStrategy(objectIn(spec, 'updateStrategy') ?? {}, specPath.child('updateStrategy'), errors);
  validateRetention(objectIn(spec, 'persistentVolumeClaimRetentionPolicy') ?? {}, errors);
  const claims = objectsIn(spec, 'volumeClaimTemplates');
  if (!rules.update) validateClaimTemplates(claims, specPath.child('volumeClaimTemplates'), errors);
  validateNonNegative(spec, ['replicas', 'minReadySeconds'], specPath, errors);
  validateNonNegative(objectIn(spec, 'ordinals') ?? {}, ['start'], specPath.child('ordinals'), errors);
  if (!rules.update) validateServiceName(textIn(spec, 'serviceName'), errors);
  validateTemplate(spec, rules, errors);
}

function validateServiceName(name: string, errors: FieldErrors): void {
  if (name === '') return;
  for (const problem of isDNS1123Label(name)) errors.invalid(specPath.child('serviceName'), name, problem);
}

function validateUpdateStrategy(strategy: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const rollingUpdate = objectIn(strategy, 'rollingUpdate');
  const partition = numberIn(rollingUpdate, 'partition');
  const shown = rollingUpdate ? { Partition: partition, MaxUnavailable: rollingUpdate.maxUnavailable ?? null } : null;
  if (strategy.type === 'OnDelete') {
    if (shown) errors.invalid(at.child('rollingUpdate'), shown, "only allowed for updateStrategy 'RollingUpdate'");
  } else if (strategy.type === 'RollingUpdate') {
    if (partition < 0) errors.invalid(at.child('rollingUpdate', 'partition'), partition, notNegative);
  } else errors.invalid(at, internalStrategy(strategy, shown), "must be 'RollingUpdate' or 'OnDelete'");
}

const retentionPolicies = ['Retain', 'Delete'];

function validateRetention(policy: JsonObject, errors: FieldErrors): void {
  for (const field of ['whenDeleted', 'whenScaled']) {
    const value = textIn(policy, field);
    if (!retentionPolicies.includes(value))
      errors.notSupported(specPath.child('persistentVolumeClaimRetentionPolicy', field), value, retentionPolicies);
  }
}

function validateTemplate(spec: JsonObject, rules: Ratcheting, errors: FieldErrors): void {
  const at = specPath.child('template');
  const template = objectIn(spec, 'template') ?? {};
  const selector = validateSelector(spec, specPath, 'statefulset', '', errors);
  if (selector) {
    validateTemplateLabels(template, selector, at, errors);
    if (!rules.anyTemplate) validatePodTemplate(templateOfPods(template, spec), at, errors);
    const metadata = objectIn(template, 'metadata') ?? {};
    validateLabels(objectIn(metadata, 'labels') ?? {}, at.child('labels'), errors);
    validateAnnotations(objectIn(metadata, 'annotations') ?? {}, at.child('annotations'), errors);
  }
  validateAlwaysRestarting(template, at, 'StatefulSet', errors);
}

/** The template as the controller uses it: without hostname and subdomain, with the volumes of the claims. */
function templateOfPods(template: JsonObject, spec: JsonObject): JsonObject {
  const { subdomain: _, hostname: __, ...podSpec } = specOf(template);
  const claims = objectsIn(spec, 'volumeClaimTemplates');
  return { ...template, spec: claims.length === 0 ? podSpec : withClaimedVolumes(podSpec, claims) };
}
