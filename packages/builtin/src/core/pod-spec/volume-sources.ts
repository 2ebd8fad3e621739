import {
  type FieldErrors,
  type FieldPath,
  isDNS1123Subdomain,
  type JsonObject,
  nameIsDNSSubdomain,
  validateAnnotations,
  validateLabels,
} from '@tsukube/machinery';
import { validateClaimSpec } from '../volume-claim-validation.ts';
import { environmentFields, validateFieldRef, validateResourceFieldRef } from './environment.ts';
import { numberIn, objectIn, objectsIn, textIn, textsIn } from './members.ts';
import { validateDescendingPath, validateFileMode, validateNoBacksteps, validateNonReservedPath } from './path-rules.ts';
import { inclusiveRange, report, requireText, validateDNSLabel } from './text-rules.ts';

export type SourceCheck = (source: JsonObject, at: FieldPath, errors: FieldErrors) => void;

/** A source that needs nothing but some texts. */
function texts(...fields: readonly string[]): SourceCheck {
  return (source, at, errors) => {
    for (const field of fields) requireText(source, field, at, errors);
  };
}

const hostPathTypes = ['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket'];

/** What each source of volumes needs, in the order in which sources are looked for. */
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
  glusterfs: texts('endpoints', 'path'),
  flocker: validateFlocker,
  persistentVolumeClaim: texts('claimName'),
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
  azureFile: texts('secretName', 'shareName'),
  vsphereVolume: texts('volumePath'),
  photonPersistentDisk: texts('pdID'),
  portworxVolume: texts('volumeID'),
  azureDisk: validateAzureDisk,
  storageos(source, at, errors) {
    requireText(source, 'volumeName', at, errors);
    for (const field of ['volumeName', 'volumeNamespace'])
      if (textIn(source, field) !== '') validateDNSLabel(textIn(source, field), at.child(field), errors);
    requireSecretName(source, at, errors);
  },
  scaleIO: texts('gateway', 'system', 'volumeName'),
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

/** The name and all else of such a claim is the pod's business. */
function validateClaimTemplate(template: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const metadata = objectIn(template, 'metadata') ?? {};
  validateAnnotations(objectIn(metadata, 'annotations') ?? {}, at.child('metadata', 'annotations'), errors);
  validateLabels(objectIn(metadata, 'labels') ?? {}, at.child('metadata', 'labels'), errors);
  for (const field of Object.keys(metadata)) {
    const isEmpty = metadata[field] === null || metadata[field] === '';
    if (field !== 'annotations' && field !== 'labels' && !isEmpty) errors.forbidden(at.child('metadata', field), 'cannot be set');
  }
  validateClaimSpec(objectIn(template, 'spec') ?? {}, undefined, at.child('spec'), errors);
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

const initiatorForms: Readonly<Record<string, RegExp>> = {
  iqn: /iqn\.\d{4}-\d{2}\.[A-Za-z0-9.-]+:[^,;*&$|\s]+$/,
  eui: /^eui.[A-Za-z0-9]{16}$/,
  naa: /^naa.[A-Za-z0-9]{32}$/,
};

function validateInitiator(name: string, at: FieldPath, errors: FieldErrors): void {
  const form = initiatorForms[name.slice(0, 3)];
  if (form === undefined) errors.invalid(at, name, 'must be valid format starting with iqn, eui, or naa');
  else if (!form.test(name)) errors.invalid(at, name, 'must be valid format');
}

function validateIscsi(source: JsonObject, at: FieldPath, errors: FieldErrors): void {
  requireText(source, 'targetPortal', at, errors);
  const iqn = textIn(source, 'iqn');
  if (iqn === '') errors.required(at.child('iqn'));
  else validateInitiator(iqn, at.child('iqn'), errors);
  const lun = numberIn(source, 'lun');
  if (lun < 0 || lun > 255) errors.invalid(at.child('lun'), lun, inclusiveRange(0, 255));
  if ((source.chapAuthDiscovery === true || source.chapAuthSession === true) && !source.secretRef)
    errors.required(at.child('secretRef'));
  if (source.initiatorName !== undefined) validateInitiator(textIn(source, 'initiatorName'), at.child('initiatorname'), errors);
}

function validateFlocker(source: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const [name, uuid] = [textIn(source, 'datasetName'), textIn(source, 'datasetUUID')];
  if (name === '' && uuid === '') errors.required(at, 'one of datasetName and datasetUUID is required');
  if (name !== '' && uuid !== '')
    errors.invalid(at, 'resource', 'datasetName and datasetUUID can not be specified simultaneously');
  if (name.includes('/')) errors.invalid(at.child('datasetName'), name, "must not contain '/'");
}

function validateQuobyte(source: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const registry = textIn(source, 'registry');
  const form = 'must be a host:port pair or multiple pairs separated by commas';
  if (registry === '') errors.required(at.child('registry'), form);
  else if (textIn(source, 'tenant').length >= 65)
    errors.required(at.child('tenant'), 'must be a UUID and may not exceed a length of 64 characters');
  else
    for (const pair of registry.split(','))
      if (!/^(?:[^:[\]]*|\[[^[\]]*\]):[^:[\]]*$/.test(pair)) errors.invalid(at.child('registry'), registry, form);
  requireText(source, 'volume', at, errors);
}

function validateFibreChannel(source: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const [targets, ids] = [textsIn(source, 'targetWWNs'), textsIn(source, 'wwids')];
  const here = at.child('targetWWNs');
  if (targets.length === 0 && ids.length === 0) errors.required(here, 'must specify either targetWWNs or wwids, but not both');
  if (targets.length === 0) return;
  if (ids.length > 0) errors.invalid(here, [...targets], 'targetWWNs and wwids can not be specified simultaneously');
  if (source.lun === undefined) errors.required(at.child('lun'), 'lun is required if targetWWNs is specified');
  else if (Number(source.lun) < 0 || Number(source.lun) > 255)
    errors.invalid(at.child('lun'), source.lun, inclusiveRange(0, 255));
}

function validateFlexVolume(source: JsonObject, at: FieldPath, errors: FieldErrors): void {
  requireText(source, 'driver', at, errors);
  for (const key of Object.keys(objectIn(source, 'options') ?? {})) {
    const domain = `.${(key.split('/', 2).length === 2 ? key.slice(0, key.indexOf('/')) : key).toLowerCase()}`;
    if (domain.endsWith('.kubernetes.io') || domain.endsWith('.k8s.io'))
      errors.invalid(at.child('options').key(key), key, 'kubernetes.io and k8s.io namespaces are reserved');
  }
}

function validateAzureDisk(source: JsonObject, at: FieldPath, errors: FieldErrors): void {
  requireText(source, 'diskName', at, errors);
  requireText(source, 'diskURI', at, errors);
  const [caching, kind, uri] = [textIn(source, 'cachingMode'), textIn(source, 'kind'), textIn(source, 'diskURI')];
  const cachingModes = ['None', 'ReadOnly', 'ReadWrite'];
  if (!cachingModes.includes(caching)) errors.notSupported(at.child('cachingMode'), caching, cachingModes);
  const kinds = ['Dedicated', 'Managed', 'Shared'];
  if (!kinds.includes(kind)) errors.notSupported(at.child('kind'), kind, kinds);
  const managed = kind === 'Managed';
  if (uri.startsWith(managed ? '/subscriptions/' : 'https://')) return;
  const form = managed
    ? '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}'
    : 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';
  errors.notSupported(at.child('diskURI'), uri, [form]);
}

export function validateDriverName(name: string, at: FieldPath, errors: FieldErrors): void {
  if (name === '') {
    errors.required(at);
    return;
  }
  if (name.length > 63) errors.tooLong(at, 63);
  report(isDNS1123Subdomain(name.toLowerCase()), at, name, errors);
}

function validateCsi(source: JsonObject, at: FieldPath, errors: FieldErrors): void {
  validateDriverName(textIn(source, 'driver'), at.child('driver'), errors);
  const reference = objectIn(source, 'nodePublishSecretRef');
  if (!reference) return;
  const name = textIn(reference, 'name');
  if (name === '') errors.required(at.child('nodePublishSecretRef', 'name'));
  else report(nameIsDNSSubdomain(name, false), at.child('name'), name, errors);
}
