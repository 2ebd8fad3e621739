import { ageColumn, nameColumn, type Resource, type ServedVersion, statusSubresource, storedVerbs } from '@tsukube/apiserver';
import {
  deepEqual,
  ensureObject,
  FieldErrors,
  type FieldPath,
  fillIn,
  isDNS1123Label,
  type JsonObject,
  type KubeObject,
  nameIsDNSLabel,
  numberIn,
  objectIn,
  objectsIn,
  path,
  textIn,
  validateAnnotations,
  validateLabels,
} from '@tsukube/machinery';
import { notNegative, validateNonNegative } from '../common/field-validation.ts';
import { specOf, statusOf } from '../common/objects.ts';
import { schemaOf, zeroValue } from '../common/schema.ts';
import { defaultPodTemplate } from '../core/pod-spec/defaults.ts';
import { validatePodTemplate } from '../core/pod-spec/validation.ts';
import { claimWarnings, defaultClaimTemplate, validateClaimTemplates, withClaimedVolumes } from './claim-templates.ts';
import { containerColumns, readyColumn, templateSpec, templateWarnings, workloadScale } from './workload.ts';
import {
  internalStrategy,
  validateAlwaysRestarting,
  validateAvailable,
  validateCollisionCount,
  validateNotAboveReplicas,
  validateSelector,
  validateTemplateLabels,
} from './workload-validation.ts';

const v1: ServedVersion = {
  group: 'apps',
  version: 'v1',
  schema: schemaOf('apps.v1.StatefulSet'),
  columns: [nameColumn, readyColumn(), ageColumn, ...containerColumns(templateSpec)],
};

export const statefulSet: Resource = {
  names: {
    plural: 'statefulsets',
    singular: 'statefulset',
    kind: 'StatefulSet',
    listKind: 'StatefulSetList',
    shortNames: ['sts'],
    categories: ['all'],
  },
  scope: 'Namespaced',
  storagePrefix: '/registry/statefulsets',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  subresources: { scale: workloadScale, status: statusSubresource(validateStatefulSetStatus) },
  strategy: {
    generation: true,
    validateName: nameIsDNSLabel,
    applyDefaults,
    prepareForCreate(object) {
      object.status = zeroValue('apps.v1.StatefulSetStatus');
      dropMaxUnavailable(object, undefined);
    },
    prepareForUpdate(object, old) {
      object.status = old.status ?? {};
      dropMaxUnavailable(object, old);
    },
    validateCreate: validateStatefulSet,
    validateUpdate: validateStatefulSetUpdate,
    warnings,
  },
};

function applyDefaults(object: KubeObject): void {
  const spec = ensureObject(object, 'spec');
  spec.replicas ??= 1;
  spec.selector ??= null;
  defaultPodTemplate(ensureObject(spec, 'template'));
  for (const claim of objectsIn(spec, 'volumeClaimTemplates')) defaultClaimTemplate(claim);
  spec.serviceName ??= '';
  fillIn(spec, 'podManagementPolicy', 'OrderedReady');
  defaultUpdateStrategy(ensureObject(spec, 'updateStrategy'));
  spec.revisionHistoryLimit ??= 10;
  const retention = ensureObject(spec, 'persistentVolumeClaimRetentionPolicy');
  fillIn(retention, 'whenDeleted', 'Retain');
  fillIn(retention, 'whenScaled', 'Retain');
  object.status = { ...zeroValue('apps.v1.StatefulSetStatus'), ...objectIn(object, 'status') };
}

/** rollingUpdate is only defaulted together with the type. */
function defaultUpdateStrategy(strategy: JsonObject): void {
  if (!strategy.type) {
    strategy.type = 'RollingUpdate';
    strategy.rollingUpdate ??= {};
  }
  const rollingUpdate = objectIn(strategy, 'rollingUpdate');
  if (strategy.type === 'RollingUpdate' && rollingUpdate) rollingUpdate.partition ??= 0;
}

/** Feature gate MaxUnavailableStatefulSet is off: the field is dropped unless the stored object has it. */
function dropMaxUnavailable(object: KubeObject, old: KubeObject | undefined): void {
  const rollingUpdate = rollingUpdateOf(object);
  if (rollingUpdate && rollingUpdateOf(old)?.maxUnavailable === undefined) delete rollingUpdate.maxUnavailable;
}

function rollingUpdateOf(object: KubeObject | undefined): JsonObject | undefined {
  return objectIn(objectIn(objectIn(object, 'spec'), 'updateStrategy'), 'rollingUpdate');
}

function warnings(object: KubeObject, old: KubeObject | undefined): readonly string[] {
  const spec = objectIn(object, 'spec');
  const found = [...templateWarnings(object, old), ...claimWarnings(objectsIn(spec, 'volumeClaimTemplates'), old !== undefined)];
  if (numberIn(spec, 'revisionHistoryLimit') >= 0) return found;
  return [...found, 'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended'];
}

const specPath = path('spec');
const statusPath = path('status');

/** Ratcheting: an update skips immutable fields, and the template if the old one was invalid. */
interface Ratcheting {
  readonly update?: boolean;
  readonly anyTemplate?: boolean;
}

function validateStatefulSet(object: KubeObject, errors: FieldErrors): void {
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

function validateStatefulSetUpdate(object: KubeObject, old: KubeObject, errors: FieldErrors): void {
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

function validateStatefulSetStatus(object: KubeObject, old: KubeObject, errors: FieldErrors): void {
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
