import {
  type FieldErrors,
  type ObjectMeta,
  path,
  StatusError,
  stringifyJson,
  validateQualifiedFinalizers,
} from '@tsukube/machinery';
import type { Resource } from './resource.ts';

/** Clears the metadata that only the server sets, before a create. */
export function wipeSystemFields(metadata: ObjectMeta): void {
  delete metadata.creationTimestamp;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.uid;
  delete metadata.selfLink;
}

/** Sets the namespace of the request. Throws BadRequest if the object states another; drops it for cluster-scoped objects. */
export function ensureNamespace(resource: Resource, metadata: ObjectMeta, namespace: string): void {
  const expected = resource.scope === 'Namespaced' ? namespace : '';
  const stated = metadata.namespace ?? '';
  if (stated === expected) return;
  if (stated !== '' && expected !== '')
    throw StatusError.badRequest('the namespace of the provided object does not match the namespace sent on the request');
  if (expected === '') delete metadata.namespace;
  else metadata.namespace = expected;
}

/** Sets the name of the request's path. Throws BadRequest if the object states another. */
export function ensureName(metadata: ObjectMeta, name: string): void {
  const stated = metadata.name ?? '';
  if (stated === '') metadata.name = name;
  else if (stated !== name)
    throw StatusError.badRequest(`the name of the object (${stated}) does not match the name on the URL (${name})`);
}

/** The error for an object without a name where the path has one. */
export function nameUndeterminable(name: string): StatusError {
  return StatusError.badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
}

/** Whether the server generates the name. */
export function needsGeneratedName({ generateName, name }: ObjectMeta): boolean {
  return Boolean(generateName) && !name;
}

/** Namespace and name from a storage key. */
export function nameOfKey(resource: Resource, key: string): { readonly namespace: string; readonly name: string } {
  const rest = key.slice(resource.storagePrefix.length + 1);
  if (resource.scope === 'Cluster') return { namespace: '', name: rest };
  const slash = rest.indexOf('/');
  return { namespace: rest.slice(0, slash), name: rest.slice(slash + 1) };
}

const finalizersPath = path('metadata', 'finalizers');

export function validateFinalizers({ finalizers }: ObjectMeta, errors: FieldErrors): void {
  if (Array.isArray(finalizers)) validateQualifiedFinalizers(finalizers, finalizersPath, errors);
}

/** Drops identical owner references and warns, as kube-apiserver does. `when` is part of the warning. */
export function dedupOwnerReferences(metadata: ObjectMeta, warn: (text: string) => void, when = ''): void {
  const owners = metadata.ownerReferences;
  if (!owners || owners.length < 2) return;
  const seen = new Set<string>();
  const duplicates: string[] = [];
  const unique = owners.filter((owner) => {
    const text = stringifyJson(owner);
    if (!seen.has(text)) return seen.add(text);
    duplicates.push(String(owner.uid));
    return false;
  });
  if (duplicates.length === 0) return;
  metadata.ownerReferences = unique;
  warn(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${duplicates.join(', ')}`,
  );
}
