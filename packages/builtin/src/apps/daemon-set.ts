import { type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import { ensureObject, fillIn, type JsonObject, mapIn, objectIn, path } from '@tsukube/machinery';
import { ageColumn, column, nameColumn } from '../common/columns.ts';
import { schemaOf } from '../common/schema.ts';
import { statusSubresource } from '../common/status-subresource.ts';
import { zeroValue } from '../common/zero-value.ts';
import { defaultPodTemplate, formatLabels, podTemplateWarnings } from '../core/pod-spec/index.ts';
import { validateDaemonSet, validateDaemonSetStatus, validateDaemonSetUpdate } from './daemon-set-validation.ts';
import { countTemplate, defaultTemplateGeneration, isTemplateChanged, startCounting } from './template-generation.ts';
import { containerColumns, numberColumn, selectorColumn, templateSpec } from './workload-columns.ts';

const specType = 'io.k8s.api.apps.v1.DaemonSetSpec';
const statusType = 'io.k8s.api.apps.v1.DaemonSetStatus';

const v1: ServedVersion = {
  group: 'apps',
  version: 'v1',
  schema: schemaOf('apps.v1.DaemonSet'),
  columns: [
    nameColumn,
    numberColumn('Desired', statusType, 'status', 'desiredNumberScheduled'),
    numberColumn('Current', statusType, 'status', 'currentNumberScheduled'),
    numberColumn('Ready', statusType, 'status', 'numberReady'),
    numberColumn('Up-to-date', statusType, 'status', 'updatedNumberScheduled'),
    numberColumn('Available', statusType, 'status', 'numberAvailable'),
    column('Node Selector', { type: 'io.k8s.api.core.v1.PodSpec', field: 'nodeSelector' }, (object) =>
      formatLabels(mapIn(templateSpec(object), 'nodeSelector')),
    ),
    ageColumn,
    ...containerColumns(templateSpec),
    selectorColumn(specType, (object) => objectIn(object, 'spec')),
  ],
};

export const daemonSet: Resource = {
  names: {
    plural: 'daemonsets',
    singular: 'daemonset',
    kind: 'DaemonSet',
    listKind: 'DaemonSetList',
    shortNames: ['ds'],
    categories: ['all'],
  },
  scope: 'Namespaced',
  storagePrefix: '/registry/daemonsets',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  subresources: {
    status: statusSubresource(validateDaemonSetStatus, {
      prepareForUpdate(object, old) {
        object.spec = old.spec ?? {};
        countTemplate(object, old);
      },
    }),
  },
  strategy: {
    generation: true,
    applyDefaults,
    prepareForCreate(object) {
      object.status = zeroValue('apps.v1.DaemonSetStatus');
      startCounting(object);
    },
    prepareForUpdate(object, old) {
      object.status = old.status ?? {};
      countTemplate(object, old);
    },
    validateCreate: validateDaemonSet,
    validateUpdate: validateDaemonSetUpdate,
    warnings(object, old) {
      if (old && !isTemplateChanged(object, old)) return [];
      return podTemplateWarnings(objectIn(objectIn(object, 'spec'), 'template'), path('spec', 'template'));
    },
  },
};

function applyDefaults(object: JsonObject): void {
  defaultTemplateGeneration(object);
  const spec = ensureObject(object, 'spec');
  spec.selector ??= null;
  defaultPodTemplate(ensureObject(spec, 'template'));
  const strategy = ensureObject(spec, 'updateStrategy');
  fillIn(strategy, 'type', 'RollingUpdate');
  if (strategy.type === 'RollingUpdate') ensureObject(strategy, 'rollingUpdate').maxUnavailable ??= 1;
  const rollingUpdate = objectIn(strategy, 'rollingUpdate');
  if (rollingUpdate) fillZeros(rollingUpdate);
  spec.revisionHistoryLimit ??= 10;
  object.status = { ...zeroValue('apps.v1.DaemonSetStatus'), ...objectIn(object, 'status') };
}

function fillZeros(rollingUpdate: JsonObject): void {
  rollingUpdate.maxUnavailable ??= 0;
  rollingUpdate.maxSurge ??= 0;
}
