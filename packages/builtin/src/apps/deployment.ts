import {
  ageColumn,
  column,
  nameColumn,
  type Resource,
  type ServedVersion,
  statusSubresource,
  storedVerbs,
} from '@tsukube/apiserver';
import {
  deepEqual,
  ensureObject,
  type FieldErrors,
  type FieldPath,
  fillIn,
  type JsonObject,
  type KubeObject,
  mapIn,
  numberIn,
  objectIn,
  path,
  validateImmutableField,
} from '@tsukube/machinery';
import { notNegative, validateNonNegative } from '../common/field-validation.ts';
import { specOf, statusOf } from '../common/objects.ts';
import { schemaOf, zeroValue } from '../common/schema.ts';
import { defaultPodTemplate } from '../core/pod-spec/defaults.ts';
import {
  containerColumns,
  parseInt64Annotation,
  readyColumn,
  selectorIn,
  templateSpec,
  workloadScale,
  workloadWarnings,
} from './workload.ts';
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

const specType = 'io.k8s.api.apps.v1.DeploymentSpec';
const statusType = 'io.k8s.api.apps.v1.DeploymentStatus';
const status = (object: KubeObject) => objectIn(object, 'status');

const v1: ServedVersion = {
  group: 'apps',
  version: 'v1',
  schema: schemaOf('apps.v1.Deployment'),
  columns: [
    nameColumn,
    readyColumn(),
    column('Up-to-date', { type: statusType, field: 'updatedReplicas' }, (object) => numberIn(status(object), 'updatedReplicas')),
    column('Available', { type: statusType, field: 'availableReplicas' }, (object) =>
      numberIn(status(object), 'availableReplicas'),
    ),
    ageColumn,
    ...containerColumns(templateSpec),
    column(
      'Selector',
      { type: specType, field: 'selector' },
      (object) => selectorIn(objectIn(object, 'spec'))?.toString() ?? '<invalid>',
      { priority: 1 },
    ),
  ],
};

export const deployment: Resource = {
  names: {
    plural: 'deployments',
    singular: 'deployment',
    kind: 'Deployment',
    listKind: 'DeploymentList',
    shortNames: ['deploy'],
    categories: ['all'],
  },
  scope: 'Namespaced',
  storagePrefix: '/registry/deployments',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  subresources: {
    scale: workloadScale,
    status: statusSubresource(validateDeploymentStatus, {
      resetFields: { 'f:metadata': { 'f:labels': {} }, 'f:spec': {} },
      prepareForUpdate(object, old) {
        object.spec = old.spec ?? {};
        keepLabels(object, old);
      },
    }),
  },
  strategy: {
    generation: true,
    applyDefaults,
    prepareForCreate(object) {
      object.status = zeroValue('apps.v1.DeploymentStatus');
    },
    prepareForUpdate(object, old) {
      object.status = old.status ?? {};
      bumpGenerationForAnnotations(object, old);
    },
    validateCreate: validateDeployment,
    validateUpdate: validateDeploymentUpdate,
    warnings: workloadWarnings,
  },
};

function applyDefaults(object: KubeObject): void {
  normalizeRollback(object);
  const spec = ensureObject(object, 'spec');
  spec.replicas ??= 1;
  spec.selector ??= null;
  defaultPodTemplate(ensureObject(spec, 'template'));
  const strategy = ensureObject(spec, 'strategy');
  fillIn(strategy, 'type', 'RollingUpdate');
  if (strategy.type === 'RollingUpdate') {
    const rollingUpdate = ensureObject(strategy, 'rollingUpdate');
    rollingUpdate.maxUnavailable ??= '25%';
    rollingUpdate.maxSurge ??= '25%';
  }
  spec.revisionHistoryLimit ??= 10;
  spec.progressDeadlineSeconds ??= 600;
  object.status ??= {};
}

/** Annotations are copied to the ReplicaSets, so changing them increments the generation as well. */
function bumpGenerationForAnnotations(object: KubeObject, old: KubeObject): void {
  const { annotations } = object.metadata;
  const before = old.metadata;
  if (!deepEqual(annotations, before.annotations)) object.metadata.generation = numberIn(before, 'generation') + 1;
}

function keepLabels(object: KubeObject, old: KubeObject): void {
  const { labels } = old.metadata;
  if (labels === undefined) delete object.metadata.labels;
  else object.metadata.labels = labels;
}

const specPath = path('spec');
const statusPath = path('status');

function validateDeployment(object: KubeObject, errors: FieldErrors): void {
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

function validateDeploymentUpdate(object: KubeObject, old: KubeObject, errors: FieldErrors): void {
  validateDeployment(object, errors);
  const selector = objectIn(objectIn(object, 'spec'), 'selector');
  validateImmutableField(selector, objectIn(objectIn(old, 'spec'), 'selector'), specPath.child('selector'), errors);
}

function validateDeploymentStatus(object: KubeObject, old: KubeObject, errors: FieldErrors): void {
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
function normalizeRollback(object: KubeObject): void {
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
