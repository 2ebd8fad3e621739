import {
  compareQuantities,
  deepEqual,
  type FieldErrors,
  fieldIsImmutable,
  isQualifiedName,
  type JsonObject,
  mapIn,
  metadataOf,
  objectIn,
  parseQuantity,
  path,
  textsIn,
  validateImmutableField,
} from '@tsukube/machinery';
import { report } from '../../common/field-validation.ts';
import { internalDiff } from '../../common/internal-diff.ts';
import { isNativeResource } from '../container/resource-requirements.ts';
import { validateBasicQuantity } from './persistent-volume-claim-validation.ts';

export const classAnnotation = 'volume.beta.kubernetes.io/storage-class';
const attributesClassPath = path('spec', 'volumeAttributesClassName');

const specType = 'PersistentVolumeClaimSpec';
const unchangeable = 'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

/** A claim stays as it is, but that a bound one may ask for more, or for other attributes. */
export function validateClaimChanges(object: JsonObject, old: JsonObject, errors: FieldErrors): void {
  const [spec, oldSpec] = [objectIn(object, 'spec') ?? {}, objectIn(old, 'spec') ?? {}];
  const classMoved = movesClassFromAnnotation(object, old);
  if (!classMoved && annotatedClass(object) !== annotatedClass(old))
    errors.invalid(path('metadata', 'annotations').key(classAnnotation), annotatedClass(object) ?? '', fieldIsImmutable);
  const fixed = fixedPart(object, old, classMoved);
  if (!deepEqual(fixed, oldSpec)) errors.forbidden(path('spec'), `${unchangeable}\n${internalDiff(oldSpec, fixed, specType)}`);
  validateSize(object, old, errors);
  validateImmutableField(spec.volumeMode, oldSpec.volumeMode, path('volumeMode'), errors);
  validateAttributesClass(spec, old, errors);
}

function annotatedClass(object: JsonObject): string | undefined {
  return mapIn(metadataOf(object), 'annotations')[classAnnotation];
}

/** The name of the class was an annotation once, and may move to its field. */
function movesClassFromAnnotation(object: JsonObject, old: JsonObject): boolean {
  const [before, now] = [annotatedClass(old), annotatedClass(object)];
  const name = objectIn(object, 'spec')?.storageClassName;
  if (before === undefined || objectIn(old, 'spec')?.storageClassName !== undefined) return false;
  return name === before && (now === undefined || now === before);
}

/** The spec with everything that may change put back. */
function fixedPart(object: JsonObject, old: JsonObject, classMoved: boolean): JsonObject {
  const [spec, oldSpec] = [{ ...objectIn(object, 'spec') }, objectIn(old, 'spec') ?? {}];
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

function validateSize(object: JsonObject, old: JsonObject, errors: FieldErrors): void {
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

export function validateClaimStatus(object: JsonObject, errors: FieldErrors): void {
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
