import {
  type FieldErrors,
  type FieldPath,
  isDNS1123Subdomain,
  type JsonObject,
  nameIsDNSSubdomain,
  numberIn,
  objectIn,
  textIn,
  textsIn,
} from '@tsukube/machinery';
import { inclusiveRange, report, requireText } from '../../common/field-validation.ts';

const initiatorForms: Readonly<Record<string, (name: string) => boolean>> = {
  iqn: isIscsiQualifiedName,
  eui: (name) => /^eui.[A-Za-z0-9]{16}$/.test(name),
  naa: (name) => /^naa.[A-Za-z0-9]{32}$/.test(name),
};

/** Whether `iqn\.\d{4}-\d{2}\.[A-Za-z0-9.-]+:[^,;*&$|\s]+$` matches somewhere, in linear time. */
function isIscsiQualifiedName(name: string): boolean {
  const parts = name.split(':');
  for (let i = parts.length - 1; i > 0; i--) {
    if (/[,;*&$|\s]/.test(parts[i] ?? '')) return false;
    const hasIdentifier = i < parts.length - 1 || parts[i] !== '';
    if (hasIdentifier && endsWithAuthority(parts[i - 1] ?? '')) return true;
  }
  return false;
}

/** Checking the last `iqn.YYYY-MM.` suffices: an earlier match would extend over it. */
function endsWithAuthority(part: string): boolean {
  for (let at = part.lastIndexOf('iqn.'); at >= 0; at = at === 0 ? -1 : part.lastIndexOf('iqn.', at - 1)) {
    if (/^iqn\.\d{4}-\d{2}\..$/s.test(part.slice(at, at + 13))) return /^[A-Za-z0-9.-]+$/.test(part.slice(at + 12));
  }
  return false;
}

function validateInitiator(name: string, at: FieldPath, errors: FieldErrors): void {
  const form = initiatorForms[name.slice(0, 3)];
  if (form === undefined) errors.invalid(at, name, 'must be valid format starting with iqn, eui, or naa');
  else if (!form(name)) errors.invalid(at, name, 'must be valid format');
}

export function validateIscsi(source: JsonObject, at: FieldPath, errors: FieldErrors): void {
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

export function validateFlocker(source: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const [name, uuid] = [textIn(source, 'datasetName'), textIn(source, 'datasetUUID')];
  if (name === '' && uuid === '') errors.required(at, 'one of datasetName and datasetUUID is required');
  if (name !== '' && uuid !== '')
    errors.invalid(at, 'resource', 'datasetName and datasetUUID can not be specified simultaneously');
  if (name.includes('/')) errors.invalid(at.child('datasetName'), name, "must not contain '/'");
}

export function validateQuobyte(source: JsonObject, at: FieldPath, errors: FieldErrors): void {
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

export function validateFibreChannel(source: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const [targets, ids] = [textsIn(source, 'targetWWNs'), textsIn(source, 'wwids')];
  const here = at.child('targetWWNs');
  if (targets.length === 0 && ids.length === 0) errors.required(here, 'must specify either targetWWNs or wwids, but not both');
  if (targets.length === 0) return;
  if (ids.length > 0) errors.invalid(here, [...targets], 'targetWWNs and wwids can not be specified simultaneously');
  if (source.lun === undefined) errors.required(at.child('lun'), 'lun is required if targetWWNs is specified');
  else if (Number(source.lun) < 0 || Number(source.lun) > 255)
    errors.invalid(at.child('lun'), source.lun, inclusiveRange(0, 255));
}

export function validateFlexVolume(source: JsonObject, at: FieldPath, errors: FieldErrors): void {
  requireText(source, 'driver', at, errors);
  for (const key of Object.keys(objectIn(source, 'options') ?? {})) {
    const domain = `.${(key.split('/', 2).length === 2 ? key.slice(0, key.indexOf('/')) : key).toLowerCase()}`;
    if (domain.endsWith('.kubernetes.io') || domain.endsWith('.k8s.io'))
      errors.invalid(at.child('options').key(key), key, 'kubernetes.io and k8s.io namespaces are reserved');
  }
}

export function validateAzureDisk(source: JsonObject, at: FieldPath, errors: FieldErrors): void {
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

export function validateCsi(source: JsonObject, at: FieldPath, errors: FieldErrors): void {
  validateDriverName(textIn(source, 'driver'), at.child('driver'), errors);
  const reference = objectIn(source, 'nodePublishSecretRef');
  if (!reference) return;
  const name = textIn(reference, 'name');
  if (name === '') errors.required(at.child('nodePublishSecretRef', 'name'));
  else report(nameIsDNSSubdomain(name, false), at.child('name'), name, errors);
}
