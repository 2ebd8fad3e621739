import {
  compareQuantities,
  deepEqual,
  type FieldErrors,
  type FieldPath,
  isDNS1123Subdomain,
  type JsonObject,
  mapIn,
  nameIsDNSLabel,
  nameIsDNSSubdomain,
  objectIn,
  parseQuantity,
  quantityValue,
  textIn,
  textsIn,
  validateLabelSelector,
  zeroQuantity,
} from '@tsukube/machinery';
import { isNotPositive, report } from '../../common/field-validation.ts';
import { validateResourceQuantity } from '../container/resource-requirements.ts';

const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
export const volumeModes = ['Block', 'Filesystem'];

/** Checks what a claim, or a template of claims, asks for. `oldSpec` is what was accepted before. */
export function validateClaimSpec(spec: JsonObject, oldSpec: JsonObject | undefined, at: FieldPath, errors: FieldErrors): void {
  if (textsIn(spec, 'accessModes').length === 0) errors.required(at.child('accessModes'), 'at least 1 access mode is required');
  validateLabelSelector(objectIn(spec, 'selector'), at.child('selector'), errors);
  validateAccessModes(textsIn(spec, 'accessModes'), at, errors);
  validateStorageRequest(spec, at, errors);
  validateClassName(spec, 'storageClassName', at, errors);
  const { volumeMode } = spec;
  if (volumeMode !== undefined && !volumeModes.includes(volumeMode as string))
    errors.notSupported(at.child('volumeMode'), volumeMode, volumeModes);
  validateDataSources(spec, oldSpec, at, errors);
  validateClassName(spec, 'volumeAttributesClassName', at, errors);
}

export function validateAccessModes(modes: readonly string[], at: FieldPath, errors: FieldErrors): void {
  for (const mode of modes) if (!accessModes.includes(mode)) errors.notSupported(at.child('accessModes'), mode, accessModes);
  const known = modes.filter((mode) => accessModes.includes(mode));
  if (known.includes('ReadWriteOncePod') && known.some((mode) => mode !== 'ReadWriteOncePod'))
    errors.forbidden(at.child('accessModes'), 'may not use ReadWriteOncePod with other access modes');
}

function validateStorageRequest(spec: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const here = at.child('resources').key('storage');
  const { storage } = mapIn(objectIn(spec, 'resources'), 'requests');
  if (storage === undefined) errors.required(here);
  else if (isPositive(storage)) validateResourceQuantity('storage', storage, here, errors);
  else errors.invalid(here, storage, isNotPositive);
}

export function isPositive(amount: string): boolean {
  return compareQuantities(parseQuantity(amount), zeroQuantity) > 0;
}

export function validateBasicQuantity(amount: string, at: FieldPath, errors: FieldErrors): void {
  const quantity = parseQuantity(amount);
  if (quantity.mantissa < 0n) errors.invalid(at, quantityValue(quantity), 'must be a valid resource quantity');
}

export function validateClassName(spec: JsonObject, field: string, at: FieldPath, errors: FieldErrors): void {
  const name = textIn(spec, field);
  if (name !== '') report(nameIsDNSSubdomain(name, false), at.child(field), name, errors);
}

function validateDataSources(spec: JsonObject, oldSpec: JsonObject | undefined, at: FieldPath, errors: FieldErrors): void {
  const [source, reference] = [objectIn(spec, 'dataSource'), objectIn(spec, 'dataSourceRef')];
  const anyGroup = ['dataSource', 'dataSourceRef'].some((field) => objectIn(oldSpec, field)?.apiGroup !== undefined);
  if (source) validateDataSource(source, anyGroup, at.child('dataSource'), errors);
  if (reference) {
    validateDataSource(reference, anyGroup, at.child('dataSourceRef'), errors);
    const namespace = textIn(reference, 'namespace');
    if (namespace !== '') report(nameIsDNSLabel(namespace, false), at.child('dataSourceRef', 'namespace'), namespace, errors);
  }
  if (!source || !reference) return;
  // Go shows a path that is given as a value as an empty object.
  if (textIn(reference, 'namespace') !== '')
    errors.invalid(at, {}, 'may not be specified when dataSourceRef.namespace is specified');
  else if (!['apiGroup', 'kind', 'name'].every((field) => deepEqual(source[field], reference[field])))
    errors.invalid(at, {}, 'must match dataSourceRef');
}

function validateDataSource(source: JsonObject, anyGroup: boolean, at: FieldPath, errors: FieldErrors): void {
  for (const field of ['name', 'kind']) if (textIn(source, field) === '') errors.required(at.child(field));
  const group = textIn(source, 'apiGroup');
  const kind = textIn(source, 'kind');
  if (group === '' && kind !== 'PersistentVolumeClaim')
    errors.invalid(at, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
  if (group !== '' && !anyGroup) report(isDNS1123Subdomain(group), at.child('apiGroup'), group, errors);
}
