import {
  ageColumn,
  column,
  nameColumn,
  type Resource,
  type ServedVersion,
  statusSubresource,
  storedVerbs,
} from '@tsukube/apiserver';
import { deepEqual, ensureObject, fillIn, type KubeObject, numberIn, objectIn } from '@tsukube/machinery';
import { schemaOf, zeroValue } from '../common/schema.ts';
import { defaultPodTemplate } from '../core/pod-spec/defaults.ts';
import {
  normalizeRollback,
  validateDeployment,
  validateDeploymentStatus,
  validateDeploymentUpdate,
} from './deployment-validation.ts';
import { containerColumns, readyColumn, selectorIn, templateSpec, workloadScale, workloadWarnings } from './workload.ts';

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
