import { ageColumn, nameColumn, type Resource, type ServedVersion, statusSubresource, storedVerbs } from '@tsukube/apiserver';
import {
  ensureObject,
  fillIn,
  type JsonObject,
  type KubeObject,
  nameIsDNSLabel,
  numberIn,
  objectIn,
  objectsIn,
} from '@tsukube/machinery';
import { schemaOf, zeroValue } from '../common/schema.ts';
import { defaultPodTemplate } from '../core/pod-spec/defaults.ts';
import { claimWarnings, defaultClaimTemplate } from './claim-templates.ts';
import { validateStatefulSet, validateStatefulSetStatus, validateStatefulSetUpdate } from './stateful-set-validation.ts';
import { containerColumns, readyColumn, templateSpec, templateWarnings, workloadScale } from './workload.ts';

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
