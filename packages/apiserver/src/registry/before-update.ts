import {
  deepEqual,
  FieldErrors,
  type JsonObject,
  type NameValidator,
  nameIsDNSSubdomain,
  nameIsPathSegment,
  StatusError,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from '@tsukube/machinery';
import type { MetadataCheck, Resource, Strategy } from '../resource.ts';
import { checkFinalizers, ensureNamespace } from './before-create.ts';
import type { WriteContext } from './object-registry.ts';

/** Carries over what an update may not touch, and refuses the result if it is not valid. */
export function prepareForUpdate(resource: Resource, object: JsonObject, old: JsonObject, context: WriteContext): void {
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
  validate(resource, object, old, context);
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

function validate(resource: Resource, object: JsonObject, old: JsonObject, { strategy, version, effort }: WriteContext): void {
  const errors = new FieldErrors();
  const metadata = object.metadata as JsonObject;
  for (const check of genericChecks) checkMetadata(check, resource, metadata, old, nameIsPathSegment, errors);
  // The validation of the kind repeats some of them: a problem is reported again by each, as kube-apiserver does.
  const isInvalid = errors.length > 0;
  for (const check of strategy.metadataOnUpdate ?? updateCheck) {
    if (isInvalid) checkMetadata(check, resource, metadata, old, strategy.validateName ?? nameIsDNSSubdomain, errors);
    if (strategy.qualifiedFinalizers) checkFinalizers(metadata, errors);
  }
  strategy.validateUpdate?.(object, old, errors, version, effort);
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
