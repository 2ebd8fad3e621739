import { ageColumn, nameColumn, type Resource, type ServedVersion, statusSubresource, storedVerbs } from '@tsukube/apiserver';
import { ensureObject, type FieldErrors, type KubeObject, objectIn, path, validateImmutableField } from '@tsukube/machinery';
import { validateNonNegative } from '../common/field-validation.ts';
import { specOf, statusOf } from '../common/objects.ts';
import { schemaOf, zeroValue } from '../common/schema.ts';
import { defaultPodTemplate } from '../core/pod-spec/defaults.ts';
import { containerColumns, numberColumn, selectorColumn, templateSpec, workloadScale, workloadWarnings } from './workload.ts';
import {
  validateAvailable,
  validateNotAboveReplicas,
  validateReplicatedTemplate,
  validateSelector,
} from './workload-validation.ts';

const specType = 'io.k8s.api.apps.v1.ReplicaSetSpec';
const statusType = 'io.k8s.api.apps.v1.ReplicaSetStatus';
const specPath = path('spec');
const statusPath = path('status');

const v1: ServedVersion = {
  group: 'apps',
  version: 'v1',
  schema: schemaOf('apps.v1.ReplicaSet'),
  columns: [
    nameColumn,
    numberColumn('Desired', specType, 'spec', 'replicas'),
    numberColumn('Current', statusType, 'status', 'replicas'),
    numberColumn('Ready', statusType, 'status', 'readyReplicas'),
    ageColumn,
    ...containerColumns(templateSpec),
    selectorColumn(specType, (object) => objectIn(object, 'spec')),
  ],
};

export const replicaSet: Resource = {
  names: {
    plural: 'replicasets',
    singular: 'replicaset',
    kind: 'ReplicaSet',
    listKind: 'ReplicaSetList',
    shortNames: ['rs'],
    categories: ['all'],
  },
  scope: 'Namespaced',
  storagePrefix: '/registry/replicasets',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  subresources: {
    scale: workloadScale,
    status: statusSubresource((object, _old, errors) => validateStatus(object, errors)),
  },
  strategy: {
    generation: true,
    applyDefaults,
    prepareForCreate(object) {
      object.status = zeroValue('apps.v1.ReplicaSetStatus');
    },
    prepareForUpdate(object, old) {
      object.status = old.status ?? {};
    },
    validateCreate: validate,
    validateUpdate(object, old, errors) {
      validate(object, errors);
      const selector = objectIn(objectIn(object, 'spec'), 'selector');
      validateImmutableField(selector, objectIn(objectIn(old, 'spec'), 'selector'), specPath.child('selector'), errors);
    },
    warnings: workloadWarnings,
  },
};

function applyDefaults(object: KubeObject): void {
  const spec = ensureObject(object, 'spec');
  spec.replicas ??= 1;
  spec.selector ??= null;
  defaultPodTemplate(ensureObject(spec, 'template'));
  const status = ensureObject(object, 'status');
  status.replicas ??= 0;
}

function validate(object: KubeObject, errors: FieldErrors): void {
  const spec = specOf(object);
  validateNonNegative(spec, ['replicas', 'minReadySeconds'], specPath, errors);
  const selector = validateSelector(spec, specPath, 'deployment', 'invalid label selector', errors);
  if (selector) validateReplicatedTemplate(spec, selector, specPath.child('template'), errors);
}

function validateStatus(object: KubeObject, errors: FieldErrors): void {
  const status = statusOf(object);
  const counts = [
    'replicas',
    'fullyLabeledReplicas',
    'readyReplicas',
    'availableReplicas',
    'observedGeneration',
    'terminatingReplicas',
  ];
  validateNonNegative(status, counts, statusPath, errors);
  validateNotAboveReplicas(status, ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'], statusPath, errors);
  validateAvailable(status, 'readyReplicas', statusPath, errors);
}
