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
import {
  fillIn,
  formatTime,
  type JsonObject,
  type KubeObject,
  mapIn,
  objectIn,
  objectsIn,
  path,
  textIn,
} from '@tsukube/machinery';
import { deprecatedLabelWarnings } from '../../common/node-selector.ts';
import { specOf, statusOf } from '../../common/objects.ts';
import { schemaOf } from '../../common/schema.ts';
import { roundResources } from '../container/resource-requirements.ts';
import { validateMountOptions, validateVolume, validateVolumeChanges, volumeSources } from './persistent-volume-validation.ts';
import { accessModesCell, classCell, phaseCell, unsetCell } from './volume-columns.ts';
import { defaultVolume } from './volume-defaults.ts';

const specType = 'io.k8s.api.core.v1.PersistentVolumeSpec';
const statusType = 'io.k8s.api.core.v1.PersistentVolumeStatus';

const columns: readonly Column[] = [
  nameColumn,
  column('Capacity', { type: specType, field: 'capacity' }, (object) => mapIn(specOf(object), 'capacity').storage ?? '0'),
  column('Access Modes', { type: specType, field: 'accessModes' }, (object) => accessModesCell(specOf(object))),
  column('Reclaim Policy', { type: specType, field: 'persistentVolumeReclaimPolicy' }, (object) =>
    textIn(specOf(object), 'persistentVolumeReclaimPolicy'),
  ),
  column('Status', { type: statusType, field: 'phase' }, phaseCell),
  column('Claim', { type: specType, field: 'claimRef' }, claimCell),
  { name: 'StorageClass', type: 'string', description: 'StorageClass of the pv', value: classCell },
  {
    name: 'VolumeAttributesClass',
    type: 'string',
    description: 'VolumeAttributesClass of the pv',
    value: (object) => unsetCell(object, 'volumeAttributesClassName'),
  },
  column('Reason', { type: statusType, field: 'reason' }, (object) => textIn(objectIn(object, 'status'), 'reason')),
  ageColumn,
  column('VolumeMode', { type: specType, field: 'volumeMode' }, (object) => unsetCell(object, 'volumeMode'), { priority: 1 }),
];

const v1: ServedVersion = {
  group: '',
  version: 'v1',
  schema: schemaOf('core.v1.PersistentVolume'),
  columns,
  selectableFields: { name: (object) => object.metadata.name ?? '' },
};

export const persistentVolume: Resource = {
  names: {
    plural: 'persistentvolumes',
    singular: 'persistentvolume',
    kind: 'PersistentVolume',
    listKind: 'PersistentVolumeList',
    shortNames: ['pv'],
  },
  scope: 'Cluster',
  storagePrefix: '/registry/persistentvolumes',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  subresources: {
    status: statusSubresource(() => {}, {
      prepareForUpdate(object, old) {
        object.spec = old.spec ?? {};
        recordTransition(statusOf(object), statusOf(old));
      },
    }),
  },
  strategy: {
    returnDeletedObject: true,
    applyDefaults: defaultPersistentVolume,
    prepareForCreate(object) {
      object.status = { phase: 'Pending', lastPhaseTransitionTime: formatTime(Date.now()) };
    },
    prepareForUpdate(object, old) {
      object.status = old.status ?? {};
    },
    validateCreate(object, errors) {
      validateVolume(object, errors);
      validateMountOptions(object, errors);
    },
    validateUpdate(object, old, errors) {
      validateVolume(object, errors);
      validateMountOptions(object, errors);
      validateVolumeChanges(object, old, errors);
    },
    warnings: volumeWarnings,
  },
};

function claimCell(object: KubeObject): string {
  const claim = objectIn(specOf(object), 'claimRef');
  return claim ? `${textIn(claim, 'namespace')}/${textIn(claim, 'name')}` : '';
}

function defaultPersistentVolume(object: KubeObject): void {
  object.spec ??= {};
  object.status ??= {};
  const spec = specOf(object);
  fillIn(statusOf(object), 'phase', 'Pending');
  fillIn(spec, 'persistentVolumeReclaimPolicy', 'Retain');
  spec.volumeMode ??= 'Filesystem';
  if (volumeSources.some((name) => spec[name] !== undefined)) defaultVolume(spec);
  roundResources(objectIn(spec, 'capacity'));
}

function recordTransition(status: JsonObject, before: JsonObject): void {
  const time = status.lastPhaseTransitionTime;
  if (status.phase !== before.phase) {
    if (time === undefined || time === before.lastPhaseTransitionTime) status.lastPhaseTransitionTime = formatTime(Date.now());
  } else if (time === undefined && before.lastPhaseTransitionTime !== undefined)
    status.lastPhaseTransitionTime = before.lastPhaseTransitionTime;
}

const deprecatedAnnotations: Readonly<Record<string, string>> = {
  'volume.beta.kubernetes.io/storage-class': 'deprecated since v1.8; use "storageClassName" attribute instead',
  'volume.beta.kubernetes.io/mount-options': 'deprecated since v1.31; use "mountOptions" attribute instead',
};
const deprecatedSources: readonly (readonly [string, string, string])[] = [
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

function volumeWarnings(object: KubeObject): readonly string[] {
  const annotations = mapIn(object.metadata, 'annotations');
  const spec = specOf(object);
  const warnings = Object.entries(deprecatedAnnotations)
    .filter(([key]) => annotations[key] !== undefined)
    .map(([key, message]) => `metadata.annotations[${key}]: ${message}`);
  if (spec.persistentVolumeReclaimPolicy === 'Recycle')
    warnings.push(
      'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
    );
  const terms = objectsIn(objectIn(objectIn(spec, 'nodeAffinity'), 'required'), 'nodeSelectorTerms');
  const termsPath = path('spec', 'nodeAffinity', 'required', 'nodeSelectorTerms');
  for (const [i, term] of terms.entries()) warnings.push(...deprecatedLabelWarnings(term, termsPath.index(i)));
  for (const [name, shown, message] of deprecatedSources)
    if (spec[name] !== undefined) warnings.push(`spec.${shown}: ${message}`);
  return warnings;
}
