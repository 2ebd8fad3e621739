import { FieldErrors, type JsonObject, path, StatusError } from '@tsukube/machinery';
import type { Strategy } from './resource.ts';
import { uint64Problem } from './resource-version.ts';

type QualifiedResource = { readonly group: string; readonly resource: string };

const versionOnCreate = new StatusError({
  status: 'Failure',
  message: 'resourceVersion should not be set on objects to be created',
  code: 500,
});

/** Fails on a new object that names a version. Zero and texts that are no number are ignored, as by kube-apiserver. */
export function checkUnversioned({ resourceVersion }: JsonObject): void {
  if (typeof resourceVersion !== 'string' || resourceVersion === '') return;
  if (uint64Problem(resourceVersion) === undefined && Number(resourceVersion) !== 0) throw versionOnCreate;
}

/** `found` holds the name; undefined if it is gone by now. */
export function alreadyExists(
  resource: QualifiedResource,
  name: string,
  isGenerated: boolean,
  found: JsonObject | undefined,
): StatusError {
  const error = isGenerated ? StatusError.generateNameConflict(resource, name, 1) : StatusError.alreadyExists(resource, name);
  if ((found?.metadata as JsonObject | undefined)?.deletionTimestamp === undefined) return error;
  return new StatusError({ ...error.status, message: `object is being deleted: ${error.message}` });
}

/** Fails with 409 on an object of another uid than the one expected. */
export function checkUid(
  key: string,
  name: string,
  uid: string | undefined,
  existing: JsonObject,
  resource: QualifiedResource,
): void {
  const found = (existing.metadata as JsonObject).uid;
  if (uid === undefined || uid === found) return;
  const reason = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${found}`;
  throw StatusError.conflict(
    resource,
    name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${reason}`,
  );
}

const modified = 'the object has been modified; please apply your changes to the latest version and try again';

/** An update names the version it is based on, or accepts whatever is there where the kind allows that. */
export function checkResourceVersion(
  object: JsonObject,
  existing: JsonObject,
  name: string,
  resource: QualifiedResource,
  strategy: Strategy,
): void {
  const metadata = object.metadata as JsonObject;
  const asked = metadata.resourceVersion ?? '';
  const current = (existing.metadata as JsonObject).resourceVersion as string;
  if (asked === '' || asked === '0') {
    if (strategy.allowUnconditionalUpdate === false) throw mustBeSpecified(name, resource);
    metadata.resourceVersion = current;
  } else if (asked !== current) throw outdated(asked as string, name, resource);
}

function outdated(version: string, name: string, resource: QualifiedResource): StatusError {
  const message = uint64Problem(version);
  return message === undefined
    ? StatusError.conflict(resource, name, modified)
    : new StatusError({ status: 'Failure', message, code: 500 });
}

function mustBeSpecified(name: string, { group, resource }: QualifiedResource): StatusError {
  const errors = new FieldErrors();
  errors.invalid(path('metadata', 'resourceVersion'), 0, 'must be specified for an update');
  return StatusError.invalid({ group, kind: resource }, name, errors);
}
