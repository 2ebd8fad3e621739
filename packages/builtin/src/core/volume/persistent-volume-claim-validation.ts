import {
  compareQuantities,
  deepEqual,
  type FieldErrors,
  type FieldPath,
  fieldIsImmutable,
  isDNS1123Subdomain,
  isQualifiedName,
  type JsonObject,
  type KubeObject,
  mapIn,
  nameIsDNSLabel,
  nameIsDNSSubdomain,
  objectIn,
  parseQuantity,
  path,
  quantityValue,
  textIn,
  textsIn,
  validateImmutableField,
  validateLabelSelector,
  zeroQuantity,
} from '@tsukube/machinery';
import { isNotPositive, report, validateEnum } from '../../common/field-validation.ts';
import { internalDiff } from '../../common/internal-types.ts';
import { specOf } from '../../common/objects.ts';
import { isNativeResource, validateResourceQuantity } from '../container/resource-requirements.ts';

const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
export const volumeModes = ['Block', 'Filesystem'];

/** Validates the spec of a claim or claim template. Ratcheting: an API group in `oldSpec` stays accepted. */
export function validateClaimSpec(spec: JsonObject, oldSpec: JsonObject | undefined, at: FieldPath, errors: FieldErrors): void {
  if (textsIn(spec, 'accessModes').length === 0) errors.required(at.child('accessModes'), 'at least 1 access mode is required');
  validateLabelSelector(objectIn(spec, 'selector'), at.child('selector'), errors);
  validateAccessModes(textsIn(spec, 'accessModes'), at, errors);
  validateStorageRequest(spec, at, errors);
  validateClassName(spec, 'storageClassName', at, errors);
  const { volumeMode } = spec;
  validateEnum(volumeMode, volumeModes, at.child('volumeMode'), errors);
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
  else if (isPositiveQuantity(storage)) validateResourceQuantity('storage', storage, here, errors);
  else errors.invalid(here, storage, isNotPositive);
}

export function isPositiveQuantity(amount: string): boolean {
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
  // kube-apiserver passes the path as the value, which Go prints as {}.
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

export const storageClassAnnotation = 'volume.beta.kubernetes.io/storage-class';
const attributesClassPath = path('spec', 'volumeAttributesClassName');

const specType = 'PersistentVolumeClaimSpec';
const isImmutable = 'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

/** The spec is immutable, except for the requests and the attributes class of a bound claim. */
export function validateClaimChanges(object: KubeObject, old: KubeObject, errors: FieldErrors): void {
  const [spec, oldSpec] = [specOf(object), specOf(old)];
  const classMoved = movesClassFromAnnotation(object, old);
  if (!classMoved && annotatedClass(object) !== annotatedClass(old))
    errors.invalid(path('metadata', 'annotations').key(storageClassAnnotation), annotatedClass(object) ?? '', fieldIsImmutable);
  const fixed = withoutAllowedChanges(object, old, classMoved);
  if (!deepEqual(fixed, oldSpec)) errors.forbidden(path('spec'), `${isImmutable}\n${internalDiff(oldSpec, fixed, specType)}`);
  validateSize(object, old, errors);
  validateImmutableField(spec.volumeMode, oldSpec.volumeMode, path('volumeMode'), errors);
  validateAttributesClass(spec, old, errors);
}

function annotatedClass(object: KubeObject): string | undefined {
  return mapIn(object.metadata, 'annotations')[storageClassAnnotation];
}

/** The storage class may move from the deprecated annotation to the field. */
function movesClassFromAnnotation(object: KubeObject, old: KubeObject): boolean {
  const [before, now] = [annotatedClass(old), annotatedClass(object)];
  const name = objectIn(object, 'spec')?.storageClassName;
  if (before === undefined || objectIn(old, 'spec')?.storageClassName !== undefined) return false;
  return name === before && (now === undefined || now === before);
}

/** The spec with mutable fields reset to their old values. */
function withoutAllowedChanges(object: KubeObject, old: KubeObject, classMoved: boolean): JsonObject {
  const [spec, oldSpec] = [{ ...objectIn(object, 'spec') }, specOf(old)];
  const putBack = (field: string) => {
    if (oldSpec[field] === undefined) delete spec[field];
    else spec[field] = oldSpec[field];
  };
  if (!oldSpec.volumeName) putBack('volumeName');
  const classFound = oldSpec.storageClassName === undefined && spec.storageClassName !== undefined;
  const matches = annotatedClass(old) === undefined || annotatedClass(old) === spec.storageClassName;
  if (classMoved || (classFound && matches)) putBack('storageClassName');
  if (objectIn(object, 'status')?.phase !== 'Bound') return spec;
  putBack('volumeAttributesClassName');
  const storage = mapIn(objectIn(oldSpec, 'resources'), 'requests').storage;
  const requests = objectIn(objectIn(spec, 'resources'), 'requests');
  if (requests && storage !== undefined) spec.resources = { ...objectIn(spec, 'resources'), requests: { ...requests, storage } };
  return spec;
}

function validateSize(object: KubeObject, old: KubeObject, errors: FieldErrors): void {
  const sizeOf = (claim: JsonObject) => mapIn(objectIn(objectIn(claim, 'spec'), 'resources'), 'requests').storage ?? '0';
  const capacity = mapIn(objectIn(old, 'status'), 'capacity').storage ?? '0';
  const size = parseQuantity(sizeOf(object));
  const shrinks = compareQuantities(size, parseQuantity(sizeOf(old))) < 0;
  if (shrinks && compareQuantities(size, parseQuantity(capacity)) <= 0)
    errors.forbidden(path('spec', 'resources', 'requests', 'storage'), 'field can not be less than status.capacity');
}

function validateAttributesClass(spec: JsonObject, old: JsonObject, errors: FieldErrors): void {
  const name = spec.volumeAttributesClassName;
  if (name === objectIn(old, 'spec')?.volumeAttributesClassName) return;
  if (objectIn(old, 'status')?.currentVolumeAttributesClassName === undefined || name) return;
  const what = name === undefined ? 'nil' : 'empty string';
  errors.forbidden(attributesClassPath, `update to ${what} is forbidden when status.currentVolumeAttributesClassName is not nil`);
}

const resizeStates = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
].sort();

export function validateClaimStatus(object: KubeObject, errors: FieldErrors): void {
  const status = objectIn(object, 'status');
  if (textsIn(objectIn(object, 'spec'), 'accessModes').length === 0) errors.required(path('Spec', 'accessModes'));
  for (const [name, amount] of Object.entries(mapIn(status, 'capacity')))
    validateBasicQuantity(amount, path('status', 'capacity').key(name), errors);
  const statesPath = path('status', 'allocatedResourceStatuses');
  for (const [name, state] of Object.entries(mapIn(status, 'allocatedResourceStatuses'))) {
    validateAllocatedName(name, statesPath, errors);
    if (!resizeStates.includes(state)) errors.notSupported(statesPath, name, resizeStates);
  }
  const allocatedPath = path('status', 'allocatedResources');
  for (const [name, amount] of Object.entries(mapIn(status, 'allocatedResources'))) {
    if (validateAllocatedName(name, allocatedPath, errors)) validateBasicQuantity(amount, allocatedPath.key(name), errors);
  }
}

function validateAllocatedName(name: string, at: ReturnType<typeof path>, errors: FieldErrors): boolean {
  const problems = isQualifiedName(name);
  report(problems, at, name, errors);
  if (problems.length > 0) return false;
  const known = !isNativeResource(name) || name === 'storage';
  if (!known) errors.notSupported(at, name, ['storage']);
  return known;
}
