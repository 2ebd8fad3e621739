import {
  deepEqual,
  FieldErrors,
  formatTime,
  type JsonObject,
  type NameValidator,
  nameIsDNSSubdomain,
  nameIsPathSegment,
  newUid,
  path,
  StatusError,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from '@tsukube/machinery';
import { ensureNamespace, validateFinalizers, wipeSystemFields } from './object-meta.ts';
import type { WriteContext } from './object-registry.ts';
import type { MetadataCheck, Resource, Strategy } from './resource.ts';

/** Gives a new object what only the server may give, and refuses it if it is not valid. */
export function beforeCreate(resource: Resource, object: JsonObject, context: WriteContext, now: number): void {
  const metadata = object.metadata as JsonObject;
  wipeSystemFields(metadata);
  ensureNamespace(resource, metadata, context.namespace);
  metadata.uid = newUid();
  metadata.creationTimestamp = formatTime(now);
  const { strategy } = context;
  if (strategy.generation) metadata.generation = 1;
  else delete metadata.generation;
  strategy.prepareForCreate?.(object, context.user, context.version);
  validateCreate(resource, object, metadata, context);
  for (const warning of strategy.warnings?.(object, undefined) ?? []) context.warn(warning);
}

function validateCreate(resource: Resource, object: JsonObject, metadata: JsonObject, context: WriteContext): void {
  const { strategy, version, effort } = context;
  const errors = new FieldErrors();
  const validateName = strategy.validateName ?? nameIsDNSSubdomain;
  validateObjectMeta(metadata, { namespaced: resource.scope === 'Namespaced', validateName }, errors);
  if (strategy.qualifiedFinalizers) validateFinalizers(metadata, errors);
  strategy.validateCreate?.(object, errors, version, effort);
  const name = (metadata.name as string) ?? '';
  // Whatever a kind allows, a name must fit into a path.
  if (errors.length === 0)
    for (const problem of nameIsPathSegment(name, false)) errors.invalid(path('metadata', 'name'), name, problem);
  if (errors.length > 0)
    throw StatusError.invalid({ group: version.errorGroup ?? version.group, kind: resource.names.kind }, name, errors);
}

/** Carries over what an update may not touch, and refuses the result if it is not valid. */
export function beforeUpdate(resource: Resource, object: JsonObject, old: JsonObject, context: WriteContext): void {
  const metadata = object.metadata as JsonObject;
  const oldMetadata = old.metadata as JsonObject;
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

function carryOver(metadata: JsonObject, old: JsonObject, key: string): void {
  const value = old[key];
  if (value === undefined) delete metadata[key];
  else metadata[key] = value;
}

/** Whether anything changed but metadata and status. */
function specChanged(object: JsonObject, old: JsonObject): boolean {
  for (const key of new Set([...Object.keys(object), ...Object.keys(old)])) {
    if (key !== 'metadata' && key !== 'status' && !deepEqual(object[key], old[key])) return true;
  }
  return false;
}

function validateUpdate(
  resource: Resource,
  object: JsonObject,
  old: JsonObject,
  { strategy, version, effort, warn }: WriteContext,
): void {
  const errors = new FieldErrors();
  const metadata = object.metadata as JsonObject;
  for (const check of genericChecks) checkMetadata(check, resource, metadata, old, nameIsPathSegment, errors);
  // The validation of the kind repeats some of them: a problem is reported again by each, as kube-apiserver does.
  const isInvalid = errors.length > 0;
  for (const check of strategy.metadataOnUpdate ?? updateCheck) {
    if (isInvalid) checkMetadata(check, resource, metadata, old, strategy.validateName ?? nameIsDNSSubdomain, errors);
    if (strategy.qualifiedFinalizers) validateFinalizers(metadata, errors);
  }
  strategy.validateUpdate?.(object, old, errors, version, effort, warn);
  if (errors.length > 0)
    throw StatusError.invalid(
      { group: version.errorGroup ?? version.group, kind: resource.names.kind },
      metadata.name as string,
      errors,
    );
}

const genericChecks: readonly MetadataCheck[] = ['object', 'update'];
const updateCheck: readonly MetadataCheck[] = ['update'];

function checkMetadata(
  check: MetadataCheck,
  resource: Resource,
  metadata: JsonObject,
  old: JsonObject,
  validateName: NameValidator,
  errors: FieldErrors,
): void {
  if (check === 'update') validateObjectMetaUpdate(metadata, old.metadata as JsonObject, errors);
  else validateObjectMeta(metadata, { namespaced: resource.scope === 'Namespaced', validateName }, errors);
}

/** An object that only waited for its finalizers goes with the last of them. */
export function removedByUpdate(object: JsonObject, old: JsonObject, strategy: Strategy): boolean {
  const metadata = object.metadata as JsonObject;
  const oldMetadata = old.metadata as JsonObject;
  if (!oldMetadata.deletionTimestamp || (metadata.finalizers as string[] | undefined)?.length) return false;
  if (Number(oldMetadata.deletionGracePeriodSeconds ?? 0) !== 0) return false;
  return strategy.mayRemove?.(object) ?? true;
}
