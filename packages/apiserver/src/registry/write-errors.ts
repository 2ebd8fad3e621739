import { FieldErrors, type KubeObject, type ObjectMeta, path, StatusError } from '@tsukube/machinery';
import type { Strategy } from './resource.ts';
import { uint64Problem } from './resource-version.ts';

type QualifiedResource = { readonly group: string; readonly resource: string };

const versionOnCreate = new StatusError({
  status: 'Failure',
  message: 'resourceVersion should not be set on objects to be created',
  code: 500,
});

/** Throws if a new object has a resourceVersion. Zero and non-numbers are ignored, as in kube-apiserver. */
export function checkUnversioned({ resourceVersion }: ObjectMeta): void {
  if (typeof resourceVersion !== 'string' || resourceVersion === '') return;
  if (uint64Problem(resourceVersion) === undefined && Number(resourceVersion) !== 0) throw versionOnCreate;
}

/** `found` is the object of that name; undefined if it is gone by now. */
export function alreadyExists(
  resource: QualifiedResource,
  name: string,
  isGenerated: boolean,
  found: KubeObject | undefined,
): StatusError {
  const error = isGenerated ? StatusError.generateNameConflict(resource, name, 1) : StatusError.alreadyExists(resource, name);
  if (found?.metadata.deletionTimestamp === undefined) return error;
  return new StatusError({ ...error.status, message: `object is being deleted: ${error.message}` });
}

/** Throws Conflict unless the object has the expected uid, if one is given. */
export function checkUid(
  key: string,
  name: string,
  expected: string | undefined,
  found: string | undefined,
  resource: QualifiedResource,
): void {
  if (expected === undefined || expected === found) return;
  const reason = `Precondition failed: UID in precondition: ${expected}, UID in object meta: ${found}`;
  throw StatusError.conflict(
    resource,
    name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${reason}`,
  );
}

const modified = 'the object has been modified; please apply your changes to the latest version and try again';

export function modifiedConcurrently(resource: QualifiedResource, name: string): StatusError {
  return StatusError.conflict(resource, name, modified);
}

/**
 * Throws Conflict if an update is based on another resourceVersion. One without a resourceVersion takes the current one, if the
 * kind allows unconditional updates.
 */
export function checkResourceVersion(
  { metadata }: KubeObject,
  existing: KubeObject,
  name: string,
  resource: QualifiedResource,
  strategy: Strategy,
): void {
  const base = metadata.resourceVersion ?? '';
  const { resourceVersion: current = '' } = existing.metadata;
  if (base === '' || base === '0') {
    if (strategy.allowUnconditionalUpdate === false) throw mustBeSpecified(name, resource);
    metadata.resourceVersion = current;
  } else if (base !== current) throw outdated(base, name, resource);
}

function outdated(version: string, name: string, resource: QualifiedResource): StatusError {
  const message = uint64Problem(version);
  return message === undefined
    ? modifiedConcurrently(resource, name)
    : new StatusError({ status: 'Failure', message, code: 500 });
}

function mustBeSpecified(name: string, { group, resource }: QualifiedResource): StatusError {
  const errors = new FieldErrors();
  errors.invalid(path('metadata', 'resourceVersion'), 0, 'must be specified for an update');
  return StatusError.invalid({ group, kind: resource }, name, errors);
}
