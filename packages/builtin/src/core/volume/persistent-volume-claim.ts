import {
  ageColumn,
  type Column,
  column,
  nameColumn,
  type Resource,
  type ServedVersion,
  statusSubresource,
  storedVerbs,
} from '@tsukube/apiserver';
import { fillIn, type JsonObject, type KubeObject, mapIn, objectIn, path, textIn } from '@tsukube/machinery';
import { specOf, statusOf } from '../../common/objects.ts';
import { schemaOf } from '../../common/schema.ts';
import { roundRequirements, roundResources } from '../container/resource-requirements.ts';
import {
  storageClassAnnotation,
  validateClaimChanges,
  validateClaimSpec,
  validateClaimStatus,
} from './persistent-volume-claim-validation.ts';
import { accessModesCell, classCell, phaseCell, unsetCell } from './volume-columns.ts';

const specType = 'io.k8s.api.core.v1.PersistentVolumeClaimSpec';
const statusType = 'io.k8s.api.core.v1.PersistentVolumeClaimStatus';

const columns: readonly Column[] = [
  nameColumn,
  column('Status', { type: statusType, field: 'phase' }, phaseCell),
  column('Volume', { type: specType, field: 'volumeName' }, (object) => textIn(objectIn(object, 'spec'), 'volumeName')),
  column('Capacity', { type: statusType, field: 'capacity' }, (object) =>
    isBound(object) ? (mapIn(objectIn(object, 'status'), 'capacity').storage ?? '0') : '',
  ),
  column('Access Modes', { type: statusType, field: 'accessModes' }, (object) =>
    isBound(object) ? accessModesCell(objectIn(object, 'status')) : '',
  ),
  { name: 'StorageClass', type: 'string', description: 'StorageClass of the pvc', value: classCell },
  {
    name: 'VolumeAttributesClass',
    type: 'string',
    description: 'VolumeAttributesClass of the pvc',
    value: (object) => unsetCell(object, 'volumeAttributesClassName'),
  },
  ageColumn,
  column('VolumeMode', { type: specType, field: 'volumeMode' }, (object) => unsetCell(object, 'volumeMode'), { priority: 1 }),
];

const v1: ServedVersion = {
  group: '',
  version: 'v1',
  schema: schemaOf('core.v1.PersistentVolumeClaim'),
  columns,
  selectableFields: { name: (object) => object.metadata.name ?? '' },
};

export const persistentVolumeClaim: Resource = {
  names: {
    plural: 'persistentvolumeclaims',
    singular: 'persistentvolumeclaim',
    kind: 'PersistentVolumeClaim',
    listKind: 'PersistentVolumeClaimList',
    shortNames: ['pvc'],
  },
  scope: 'Namespaced',
  storagePrefix: '/registry/persistentvolumeclaims',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  subresources: { status: statusSubresource((object, _old, errors) => validateClaimStatus(object, errors)) },
  strategy: {
    returnDeletedObject: true,
    applyDefaults: defaultClaim,
    prepareForCreate(object) {
      object.status = { phase: 'Pending' };
      normalizeDataSources(specOf(object), undefined);
    },
    prepareForUpdate(object, old) {
      object.status = old.status ?? {};
      normalizeDataSources(specOf(object), objectIn(old, 'spec'));
    },
    validateCreate: (object, errors) => validateClaimSpec(specOf(object), undefined, path('spec'), errors),
    validateUpdate(object, old, errors) {
      validateClaimSpec(specOf(object), objectIn(old, 'spec'), path('spec'), errors);
      validateClaimChanges(object, old, errors);
    },
    warnings: claimWarnings,
  },
};

function isBound(object: KubeObject): boolean {
  return textIn(objectIn(object, 'spec'), 'volumeName') !== '';
}

function defaultClaim(object: KubeObject): void {
  object.spec ??= {};
  object.status ??= {};
  const [spec, status] = [specOf(object), statusOf(object)];
  fillIn(status, 'phase', 'Pending');
  spec.volumeMode ??= 'Filesystem';
  roundRequirements(objectIn(spec, 'resources'));
  for (const field of ['capacity', 'allocatedResources']) roundResources(objectIn(status, field));
}

/** Keeps dataSource and dataSourceRef in step; dataSource can only refer to claims and snapshots. */
function normalizeDataSources(spec: JsonObject, oldSpec: JsonObject | undefined): void {
  const inUse = oldSpec?.dataSource !== undefined || oldSpec?.dataSourceRef !== undefined;
  const reference = objectIn(spec, 'dataSourceRef');
  if (reference && textIn(reference, 'namespace') !== '' && oldSpec?.dataSourceRef === undefined) delete spec.dataSourceRef;
  if (!inUse && spec.dataSourceRef === undefined && !isClaimOrSnapshot(objectIn(spec, 'dataSource'))) delete spec.dataSource;
  const [source, kept] = [objectIn(spec, 'dataSource'), objectIn(spec, 'dataSourceRef')];
  if (source && !kept) spec.dataSourceRef = { ...source };
  else if (kept && !source && textIn(kept, 'namespace') === '') {
    const { namespace: _, ...local } = kept;
    spec.dataSource = local;
  }
}

function isClaimOrSnapshot(source: JsonObject | undefined): boolean {
  const [kind, group] = [textIn(source, 'kind'), textIn(source, 'apiGroup')];
  return (kind === 'PersistentVolumeClaim' && group === '') || (kind === 'VolumeSnapshot' && group === 'snapshot.storage.k8s.io');
}

function claimWarnings(object: KubeObject): readonly string[] {
  const warnings: string[] = [];
  if (mapIn(object.metadata, 'annotations')[storageClassAnnotation] !== undefined)
    warnings.push(
      `metadata.annotations[${storageClassAnnotation}]: deprecated since v1.8; use "storageClassName" attribute instead`,
    );
  const { storage } = mapIn(objectIn(objectIn(object, 'spec'), 'resources'), 'requests');
  if (storage?.endsWith('m')) warnings.push(fractionalWarning(storage));
  return warnings;
}

function fractionalWarning(storage: string): string {
  return `spec.resources.requests[storage]: fractional byte value ${JSON.stringify(storage)} is invalid, must be an integer`;
}
