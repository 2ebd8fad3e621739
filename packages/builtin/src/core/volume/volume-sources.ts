import {
  type FieldErrors,
  type FieldPath,
  type JsonObject,
  numberIn,
  objectIn,
  objectsIn,
  textIn,
  textsIn,
  validateAnnotations,
  validateLabels,
} from '@tsukube/machinery';
import {
  inclusiveRange,
  requireText,
  validateDescendingPath,
  validateDNSLabel,
  validateFileMode,
  validateNoBacksteps,
  validateNonReservedPath,
} from '../../common/field-validation.ts';
import { specOf } from '../../common/objects.ts';
import { environmentFields, validateFieldRef, validateResourceFieldRef } from '../container/environment.ts';
import { validateClaimSpec } from './persistent-volume-claim-validation.ts';
import {
  validateAzureDisk,
  validateCsi,
  validateFibreChannel,
  validateFlexVolume,
  validateFlocker,
  validateIscsi,
  validateQuobyte,
} from './storage-systems.ts';

export { validateDriverName } from './storage-systems.ts';

export type SourceCheck = (source: JsonObject, at: FieldPath, errors: FieldErrors) => void;

/** A source that only has required string fields. */
function requireFields(...fields: readonly string[]): SourceCheck {
  return (source, at, errors) => {
    for (const field of fields) requireText(source, field, at, errors);
  };
}

const hostPathTypes = ['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket'];

/** Validation of each volume source, in the order of validation. */
export const sourceChecks: Readonly<Record<string, SourceCheck>> = {
  hostPath(source, at, errors) {
    const path = textIn(source, 'path');
    if (path === '') {
      errors.required(at.child('path'));
      return;
    }
    validateNoBacksteps(path, at.child('path'), errors);
    const type = textIn(source, 'type');
    if (!hostPathTypes.includes(type)) errors.notSupported(at.child('type'), type, hostPathTypes);
  },
  gitRepo(source, at, errors) {
    requireText(source, 'repository', at, errors);
    validateDescendingPath(textIn(source, 'directory'), at.child('directory'), errors);
  },
  gcePersistentDisk: disk('pdName'),
  awsElasticBlockStore: disk('volumeID'),
  secret(source, at, errors) {
    requireText(source, 'secretName', at, errors);
    validateFiles(source, at, errors);
  },
  nfs(source, at, errors) {
    requireText(source, 'server', at, errors);
    requireText(source, 'path', at, errors);
    const path = textIn(source, 'path');
    if (!path.startsWith('/')) errors.invalid(at.child('path'), path, 'must be an absolute path');
  },
  iscsi: validateIscsi,
  glusterfs: requireFields('endpoints', 'path'),
  flocker: validateFlocker,
  persistentVolumeClaim: requireFields('claimName'),
  rbd(source, at, errors) {
    if (textsIn(source, 'monitors').length === 0) errors.required(at.child('monitors'));
    requireText(source, 'image', at, errors);
  },
  cinder(source, at, errors) {
    requireText(source, 'volumeID', at, errors);
    requireSecretName(source, at, errors);
  },
  cephfs(source, at, errors) {
    if (textsIn(source, 'monitors').length === 0) errors.required(at.child('monitors'));
  },
  quobyte: validateQuobyte,
  downwardAPI(source, at, errors) {
    validateFileMode(source, 'defaultMode', at, errors);
    for (const item of objectsIn(source, 'items')) validateDownwardFile(item, at, errors);
  },
  fc: validateFibreChannel,
  flexVolume: validateFlexVolume,
  configMap(source, at, errors) {
    requireText(source, 'name', at, errors);
    validateFiles(source, at, errors);
  },
  azureFile: requireFields('secretName', 'shareName'),
  vsphereVolume: requireFields('volumePath'),
  photonPersistentDisk: requireFields('pdID'),
  portworxVolume: requireFields('volumeID'),
  azureDisk: validateAzureDisk,
  storageos(source, at, errors) {
    requireText(source, 'volumeName', at, errors);
    for (const field of ['volumeName', 'volumeNamespace'])
      if (textIn(source, field) !== '') validateDNSLabel(textIn(source, field), at.child(field), errors);
    requireSecretName(source, at, errors);
  },
  scaleIO: requireFields('gateway', 'system', 'volumeName'),
  csi: validateCsi,
  ephemeral(source, at, errors) {
    const template = objectIn(source, 'volumeClaimTemplate');
    if (template) validateClaimTemplate(template, at.child('volumeClaimTemplate'), errors);
    else errors.required(at.child('volumeClaimTemplate'));
  },
};

function disk(name: string): SourceCheck {
  return (source, at, errors) => {
    requireText(source, name, at, errors);
    const partition = numberIn(source, 'partition');
    if (partition < 0 || partition > 255) errors.invalid(at.child('partition'), partition, inclusiveRange(1, 255));
  };
}

/** Metadata may only have labels and annotations. */
function validateClaimTemplate(template: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const metadata = objectIn(template, 'metadata') ?? {};
  validateAnnotations(objectIn(metadata, 'annotations') ?? {}, at.child('metadata', 'annotations'), errors);
  validateLabels(objectIn(metadata, 'labels') ?? {}, at.child('metadata', 'labels'), errors);
  for (const field of Object.keys(metadata)) {
    const isEmpty = metadata[field] === null || metadata[field] === '';
    if (field !== 'annotations' && field !== 'labels' && !isEmpty) errors.forbidden(at.child('metadata', field), 'cannot be set');
  }
  validateClaimSpec(specOf(template), undefined, at.child('spec'), errors);
}

function requireSecretName(source: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const reference = objectIn(source, 'secretRef');
  if (reference) requireText(reference, 'name', at.child('secretRef'), errors);
}

function validateFiles(source: JsonObject, at: FieldPath, errors: FieldErrors): void {
  validateFileMode(source, 'defaultMode', at, errors);
  for (const [i, item] of objectsIn(source, 'items').entries()) validateKeyToPath(item, at.child('items').index(i), errors);
}

export function validateKeyToPath(item: JsonObject, at: FieldPath, errors: FieldErrors): void {
  requireText(item, 'key', at, errors);
  requireText(item, 'path', at, errors);
  validateNonReservedPath(textIn(item, 'path'), at.child('path'), errors);
  validateFileMode(item, 'mode', at, errors);
}

const volumeFields = [...environmentFields.slice(0, 3), 'metadata.labels', 'metadata.annotations'];

export function validateDownwardFile(item: JsonObject, at: FieldPath, errors: FieldErrors): void {
  requireText(item, 'path', at, errors);
  validateNonReservedPath(textIn(item, 'path'), at.child('path'), errors);
  const [field, resource] = [objectIn(item, 'fieldRef'), objectIn(item, 'resourceFieldRef')];
  if (field) {
    validateFieldRef(field, volumeFields, at.child('fieldRef'), errors);
    if (resource) errors.invalid(at, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously');
  } else if (resource) validateResourceFieldRef(resource, true, at.child('resourceFieldRef'), errors);
  else errors.required(at, 'one of fieldRef and resourceFieldRef is required');
  validateFileMode(item, 'mode', at, errors);
}
