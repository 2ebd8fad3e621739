import {
  deepEqual,
  type FieldErrors,
  type FieldPath,
  isDNS1123Subdomain,
  type JsonObject,
  type KubeObject,
  mapIn,
  nameIsDNSLabel,
  objectIn,
  path,
  textIn,
  textsIn,
  validateImmutableField,
} from '@tsukube/machinery';
import {
  isNotPositive,
  report,
  requireOneOf,
  requireText,
  validateDNSLabel,
  validateEnum,
  validateNoBacksteps,
} from '../../common/field-validation.ts';
import { internalDiff, internalForm } from '../../common/internal-types.ts';
import { validateNodeSelector } from '../../common/node-selector.ts';
import { specOf } from '../../common/objects.ts';
import {
  isPositiveQuantity,
  validateAccessModes,
  validateBasicQuantity,
  validateClassName,
  volumeModes,
} from './persistent-volume-claim-validation.ts';
import { type SourceCheck, sourceChecks, validateDriverName } from './volume-sources.ts';

const specPath = path('spec');
const reclaimPolicies = ['Delete', 'Recycle', 'Retain'];

export function validateVolume(object: KubeObject, errors: FieldErrors): void {
  const spec = specOf(object);
  if (textsIn(spec, 'accessModes').length === 0) errors.required(specPath.child('accessModes'));
  validateAccessModes(textsIn(spec, 'accessModes'), specPath, errors);
  validateCapacity(spec, errors);
  const policy = textIn(spec, 'persistentVolumeReclaimPolicy');
  if (policy !== '') requireOneOf(policy, reclaimPolicies, specPath.child('persistentVolumeReclaimPolicy'), errors);
  validateNodeAffinity(spec, errors);
  validateSources(spec, specPath, errors);
  validateClassName(spec, 'storageClassName', specPath, errors);
  const { volumeMode } = spec;
  validateEnum(volumeMode, volumeModes, specPath.child('volumeMode'), errors);
  validateAttributesClass(spec, errors);
}

/** An inline volume of a VolumeAttachment: no claim fields, and CSI only. */
export function validateInlineVolume(spec: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const context = 'in the context of inline volumes';
  const unset = (field: string) => {
    if (spec[field] !== undefined && spec[field] !== '') errors.forbidden(at.child(field), `may not be specified ${context}`);
  };
  unset('claimRef');
  unset('capacity');
  if (!objectIn(spec, 'csi')) errors.required(at.child('csi'), `has to be specified ${context}`);
  if (textsIn(spec, 'accessModes').length === 0) errors.required(at.child('accessModes'));
  validateAccessModes(textsIn(spec, 'accessModes'), at, errors);
  const policy = textIn(spec, 'persistentVolumeReclaimPolicy');
  if (policy !== '' && policy !== 'Retain')
    errors.forbidden(at.child('persistentVolumeReclaimPolicy'), `may only be Retain ${context}`);
  unset('nodeAffinity');
  validateSources(spec, at, errors);
  unset('storageClassName');
  if (spec.volumeMode !== undefined && spec.volumeMode !== 'Filesystem')
    errors.forbidden(at.child('volumeMode'), `may not specify volumeMode other than Filesystem ${context}`);
}

function isRoot(text: string): boolean {
  return text.startsWith('/') && text.split('/').every((part) => part === '' || part === '.');
}

function validateCapacity(spec: JsonObject, errors: FieldErrors): void {
  const at = specPath.child('capacity');
  const capacity = mapIn(spec, 'capacity');
  const names = Object.keys(capacity);
  if (names.length === 0) errors.required(at);
  if (capacity.storage === undefined || names.length > 1)
    errors.notSupported(at, names.length === 0 ? null : { ...capacity }, ['storage']);
  for (const [name, amount] of Object.entries(capacity)) {
    validateBasicQuantity(amount, at.key(name), errors);
    if (!isPositiveQuantity(amount)) errors.invalid(at.key(name), amount, isNotPositive);
  }
}

function validateNodeAffinity(spec: JsonObject, errors: FieldErrors): void {
  const affinity = objectIn(spec, 'nodeAffinity');
  if (!affinity) return;
  const at = specPath.child('nodeAffinity', 'required');
  const required = objectIn(affinity, 'required');
  if (required) validateNodeSelector(required, at, errors);
  else errors.required(at, 'must specify required node constraints');
}

function validateAttributesClass(spec: JsonObject, errors: FieldErrors): void {
  if (spec.volumeAttributesClassName === undefined) return;
  if (spec.volumeAttributesClassName === '')
    errors.required(specPath.child('volumeAttributesClassName'), 'an empty string is disallowed');
  validateClassName(spec, 'volumeAttributesClassName', specPath, errors);
  if (!objectIn(spec, 'csi')) errors.required(specPath.child('csi'), 'has to be specified when using volumeAttributesClassName');
}

/** Sources that differ from those in pods: secret references have a namespace. */
const ownChecks: Readonly<Record<string, SourceCheck>> = {
  glusterfs(source, at, errors) {
    requireText(source, 'endpoints', at, errors);
    requireText(source, 'path', at, errors);
    const { endpointsNamespace } = source;
    if (endpointsNamespace === undefined) return;
    const field = at.child('endpointsNamespace');
    const name = textIn(source, 'endpointsNamespace');
    if (name === '') errors.invalid(field, '', 'if the endpointnamespace is set, it must be a valid namespace name');
    else report(nameIsDNSLabel(name, false), field, name, errors);
  },
  cinder(source, at, errors) {
    requireText(source, 'volumeID', at, errors);
    requireSecret(source, at, errors);
  },
  azureFile(source, at, errors) {
    requireText(source, 'secretName', at, errors);
    requireText(source, 'shareName', at, errors);
    if (source.secretNamespace === '') errors.required(at.child('secretNamespace'));
  },
  local(source, at, errors) {
    if (textIn(source, 'path') === '') errors.required(at.child('path'));
    else validateNoBacksteps(textIn(source, 'path'), at.child('path'), errors);
  },
  storageos(source, at, errors) {
    requireText(source, 'volumeName', at, errors);
    for (const field of ['volumeName', 'volumeNamespace'])
      if (textIn(source, field) !== '') validateDNSLabel(textIn(source, field), at.child(field), errors);
    requireSecret(source, at, errors);
  },
  csi(source, at, errors) {
    validateDriverName(textIn(source, 'driver'), at.child('driver'), errors);
    requireText(source, 'volumeHandle', at, errors);
    for (const field of secretFields) {
      const reference = objectIn(source, field);
      if (reference) validateSecretReference(reference, at.child(field), errors);
    }
  },
};

const secretFields = ['controllerPublishSecretRef', 'controllerExpandSecretRef', 'nodePublishSecretRef', 'nodeExpandSecretRef'];

function requireSecret(source: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const reference = objectIn(source, 'secretRef');
  if (!reference) return;
  for (const field of ['name', 'namespace']) requireText(reference, field, at.child('secretRef'), errors);
}

function validateSecretReference(reference: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const [name, namespace] = [textIn(reference, 'name'), textIn(reference, 'namespace')];
  if (name === '') errors.required(at.child('name'));
  else report(isDNS1123Subdomain(name), at.child('name'), name, errors);
  if (namespace === '') errors.required(at.child('namespace'));
  else validateDNSLabel(namespace, at.child('namespace'), errors);
}

/** In the order of validation. */
export const volumeSources = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'flocker',
  'nfs',
  'rbd',
  'quobyte',
  'cephfs',
  'iscsi',
  'cinder',
  'fc',
  'flexVolume',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'scaleIO',
  'local',
  'storageos',
  'csi',
];

function validateSources(spec: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const [first, ...others] = volumeSources.filter((name) => objectIn(spec, name));
  if (first === undefined) {
    errors.required(at, 'must specify a volume type');
    return;
  }
  const here = at.child(first === 'gcePersistentDisk' ? 'persistentDisk' : first);
  (ownChecks[first] ?? sourceChecks[first])?.(objectIn(spec, first) ?? {}, here, errors);
  if (first === 'local' && !objectIn(spec, 'nodeAffinity'))
    errors.required(at.child('nodeAffinity'), 'Local volume requires node affinity');
  for (const other of others) {
    // Kubernetes validates flexVolume even after another source.
    if (other === 'flexVolume') sourceChecks[other]?.(objectIn(spec, other) ?? {}, at.child(other), errors);
    else errors.forbidden(at.child(other === 'cephfs' ? 'cephFS' : other), 'may not specify more than 1 volume type');
  }
  if (spec.persistentVolumeReclaimPolicy === 'Recycle' && isRoot(textIn(objectIn(spec, 'hostPath'), 'path')))
    errors.forbidden(at.child('persistentVolumeReclaimPolicy'), "may not be 'recycle' for a hostPath mount of '/'");
}

const mountOptions = 'volume.beta.kubernetes.io/mount-options';
const withoutMountOptions = ['hostPath', 'flocker', 'fc', 'flexVolume', 'portworxVolume', 'scaleIO', 'local', 'storageos', 'csi'];

export function validateMountOptions(object: KubeObject, errors: FieldErrors): void {
  const spec = objectIn(object, 'spec');
  const supported = volumeSources.some((name) => objectIn(spec, name) && !withoutMountOptions.includes(name));
  if (!supported && mapIn(object.metadata, 'annotations')[mountOptions] !== undefined)
    errors.forbidden(path('metadata', 'annotations', mountOptions), 'may not specify mount options for this volume type');
}

export function validateVolumeChanges(object: KubeObject, old: KubeObject, errors: FieldErrors): void {
  const [spec, oldSpec] = [specOf(object), specOf(old)];
  const fixed = withoutNewSecret(spec, oldSpec);
  if (volumeSources.some((name) => !deepEqual(fixed[name], oldSpec[name]))) {
    const diff = internalDiff(oldSpec, fixed, 'PersistentVolumeSource');
    errors.forbidden(path('spec', 'persistentvolumesource'), `spec.persistentvolumesource is immutable after creation\n${diff}`);
  }
  validateImmutableField(spec.volumeMode, oldSpec.volumeMode, path('volumeMode'), errors);
  if (oldSpec.nodeAffinity !== undefined) validateAffinityUnchanged(spec, oldSpec, errors);
  if (oldSpec.volumeAttributesClassName !== undefined && spec.volumeAttributesClassName === undefined)
    errors.forbidden(path('spec', 'volumeAttributesClassName'), 'update from non-nil value to nil is forbidden');
}

function validateAffinityUnchanged(spec: JsonObject, oldSpec: JsonObject, errors: FieldErrors): void {
  if (deepEqual(spec.nodeAffinity, oldSpec.nodeAffinity)) return;
  const nodeAffinity = objectIn(spec, 'nodeAffinity');
  const shown = nodeAffinity === undefined ? null : internalForm(nodeAffinity, 'VolumeNodeAffinity');
  errors.invalid(path('nodeAffinity'), shown, 'field is immutable, except for updating from beta label to GA');
}

/** controllerExpandSecretRef may be added to a CSI volume without one. */
function withoutNewSecret(spec: JsonObject, oldSpec: JsonObject): JsonObject {
  const [source, before] = [objectIn(spec, 'csi'), objectIn(oldSpec, 'csi')];
  if (!source || !before || before.controllerExpandSecretRef !== undefined) return spec;
  const { controllerExpandSecretRef: _, ...rest } = source;
  return { ...spec, csi: rest };
}
