import {
  deepEqual,
  FieldErrors,
  formatTime,
  type KubeObject,
  type NameValidator,
  nameIsDNSSubdomain,
  nameIsPathSegment,
  newUid,
  type ObjectMeta,
  path,
  StatusError,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from '@tsukube/machinery';
import { ensureNamespace, validateFinalizers, wipeSystemFields } from './object-meta.ts';
import type { MetadataCheck, Resource, Strategy } from './resource.ts';
import type { WriteContext } from './write-context.ts';

/** Sets the system metadata of a new object, prepares it by the strategy and validates it. */
export function beforeCreate(resource: Resource, object: KubeObject, context: WriteContext, now: number): void {
  const { metadata } = object;
  wipeSystemFields(metadata);
  ensureNamespace(resource, metadata, context.namespace);
  metadata.uid = newUid();
  metadata.creationTimestamp = formatTime(now);
  const { strategy } = context;
  if (strategy.generation) metadata.generation = 1;
  else delete metadata.generation;
  strategy.prepareForCreate?.(object, context.user, context.version, context.warn);
  validateCreate(resource, object, context);
  for (const warning of strategy.warnings?.(object, undefined) ?? []) context.warn(warning);
}

function validateCreate(resource: Resource, object: KubeObject, context: WriteContext): void {
  const { strategy, version, effort } = context;
  const { metadata } = object;
  const errors = new FieldErrors();
  const validateName = strategy.validateName ?? nameIsDNSSubdomain;
  validateObjectMeta(metadata, { namespaced: resource.scope === 'Namespaced', validateName }, errors);
  if (strategy.qualifiedFinalizers) validateFinalizers(metadata, errors);
  strategy.validateCreate?.(object, errors, version, effort);
  const name = metadata.name ?? '';
  // For every kind, a name must be a valid path segment.
  if (errors.length === 0)
    for (const problem of nameIsPathSegment(name, false)) errors.invalid(path('metadata', 'name'), name, problem);
  if (errors.length > 0)
    throw StatusError.invalid({ group: version.errorGroup ?? version.group, kind: resource.names.kind }, name, errors);
}

/** Restores metadata that an update may not change, prepares the object by the strategy and validates it. */
export function beforeUpdate(resource: Resource, object: KubeObject, old: KubeObject, context: WriteContext): void {
  const { metadata } = object;
  const { metadata: oldMetadata } = old;
  ensureNamespace(resource, metadata, context.namespace);
  const { strategy } = context;
  carryOver(metadata, oldMetadata, 'generation');
  strategy.prepareForUpdate?.(object, old, context.version);
  if (strategy.generation && specChanged(object, old)) metadata.generation = Number(oldMetadata.generation ?? 0) + 1;
  if (!metadata.uid) carryOver(metadata, oldMetadata, 'uid');
  carryOver(metadata, oldMetadata, 'creationTimestamp');
  if (oldMetadata.deletionTimestamp) carryOver(metadata, oldMetadata, 'deletionTimestamp');
  if (metadata.deletionGracePeriodSeconds === undefined) carryOver(metadata, oldMetadata, 'deletionGracePeriodSeconds');
  delete metadata.selfLink;
  validateUpdate(resource, object, old, context);
  for (const warning of strategy.warnings?.(object, old) ?? []) context.warn(warning);
}

function carryOver(metadata: ObjectMeta, old: ObjectMeta, key: keyof ObjectMeta): void {
  const value = old[key];
  if (value === undefined) delete metadata[key];
  else metadata[key] = value;
}

/** Whether anything but metadata and status changed. */
function specChanged(object: KubeObject, old: KubeObject): boolean {
  for (const key of new Set([...Object.keys(object), ...Object.keys(old)])) {
    if (key !== 'metadata' && key !== 'status' && !deepEqual(object[key], old[key])) return true;
  }
  return false;
}

const genericChecks: readonly MetadataCheck[] = ['object', 'update'];
const updateCheck: readonly MetadataCheck[] = ['update'];

function validateUpdate(
  resource: Resource,
  object: KubeObject,
  old: KubeObject,
  { strategy, version, effort, warn }: WriteContext,
): void {
  const errors = new FieldErrors();
  const { metadata } = object;
  for (const check of genericChecks) checkMetadata(check, resource, metadata, old.metadata, nameIsPathSegment, errors);
  // The kind's validation repeats some checks, and each reports a problem again, as in kube-apiserver.
  const isInvalid = errors.length > 0;
  const validateName = strategy.validateName ?? nameIsDNSSubdomain;
  for (const check of strategy.metadataOnUpdate ?? updateCheck) {
    if (isInvalid) checkMetadata(check, resource, metadata, old.metadata, validateName, errors);
    if (strategy.qualifiedFinalizers) validateFinalizers(metadata, errors);
  }
  strategy.validateUpdate?.(object, old, errors, version, effort, warn);
  if (errors.length === 0) return;
  const kind = { group: version.errorGroup ?? version.group, kind: resource.names.kind };
  throw StatusError.invalid(kind, metadata.name ?? '', errors);
}

function checkMetadata(
  check: MetadataCheck,
  resource: Resource,
  metadata: ObjectMeta,
  old: ObjectMeta,
  validateName: NameValidator,
  errors: FieldErrors,
): void {
  if (check === 'update') validateObjectMetaUpdate(metadata, old, errors);
  else validateObjectMeta(metadata, { namespaced: resource.scope === 'Namespaced', validateName }, errors);
}

/** Whether an update removes the last finalizer of an object that is being deleted. */
export function removedByUpdate(object: KubeObject, { metadata: old }: KubeObject, strategy: Strategy): boolean {
  if (!old.deletionTimestamp || object.metadata.finalizers?.length) return false;
  if (Number(old.deletionGracePeriodSeconds ?? 0) !== 0) return false;
  return strategy.mayRemove?.(object) ?? true;
}
