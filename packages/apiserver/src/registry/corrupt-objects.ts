import { FieldErrors, path, StatusError } from '@tsukube/machinery';
import type { CorruptValue, UnreadableValue } from '@tsukube/storage';
import type { CacheEntry } from '../watchcache/entry.ts';
import type { DeleteRequest } from './deletion.ts';
import type { ObjectRegistry } from './object-registry.ts';
import type { WriteContext } from './write-context.ts';

/** As many as in kube-apiserver. */
const maxCauses = 100;

/** The error for an object whose stored value is corrupt. */
export function corruptObject({ key, message }: CorruptValue): StatusError {
  const storageError = `StorageError: corrupt object, Code: 7, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${message}`;
  return StatusError.internalError(storageError);
}

/** Throws if a listed object is corrupt: a list without it would be wrong. */
export function checkReadable({ cache, resource }: ObjectRegistry, entries: readonly CacheEntry[]): void {
  if (!cache.hasCorruption) return;
  const corrupt = entries.flatMap((entry) => entry.corrupt ?? []);
  if (corrupt.length === 0) return;
  const { names, hub } = resource;
  const causes = corrupt
    .slice(0, maxCauses)
    .map(({ key, message }) => ({ reason: 'UnexpectedServerResponse', message, field: key }));
  throw new StatusError({
    status: 'Failure',
    message: `failed to read one or more ${hub.group === '' ? names.plural : `${names.plural}.${hub.group}`} from the storage`,
    reason: 'StorageReadError',
    details: { name: 'list', group: hub.group, kind: names.plural, causes },
    code: 500,
  });
}

/**
 * Removes an unreadable object, without preconditions, admission and finalizers, which are unknown. Requires the verb
 * `unsafe-delete-ignore-read-errors`.
 */
export async function deleteCorrupt(
  registry: ObjectRegistry,
  name: string,
  { revision }: CorruptValue | UnreadableValue,
  request: DeleteRequest,
  context: WriteContext,
): Promise<void> {
  checkNoOtherOptions(request, context.dryRun);
  await authorizeUnsafeDelete(registry, name, context);
  await registry.cache.delete(registry.key(context.namespace, name), revision, { isCancelled: context.isOver });
}

/** Throws if other options are set, which cannot be honoured. */
function checkNoOtherOptions(request: DeleteRequest, dryRun: boolean): void {
  const errors = new FieldErrors();
  const { propagationPolicy, orphanDependents, gracePeriodSeconds, preconditions } = request;
  const others = { dryRun: dryRun || undefined, propagationPolicy, orphanDependents, gracePeriodSeconds, preconditions };
  for (const [option, value] of Object.entries(others)) {
    const at = path('ignoreStoreReadErrorWithClusterBreakingPotential');
    if (value !== undefined) errors.invalid(at, true, `cannot be set together with .${option}`);
  }
  if (errors.length > 0) throw StatusError.invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors);
}

async function authorizeUnsafeDelete(registry: ObjectRegistry, name: string, context: WriteContext): Promise<void> {
  const { user, namespace, version } = context;
  const { group, version: apiVersion } = version;
  const resource = registry.resource.names.plural;
  const verb = 'unsafe-delete-ignore-read-errors';
  const access = {
    isResource: true,
    user,
    verb,
    namespace,
    name,
    group,
    version: apiVersion,
    resource,
    subresource: '',
    path: '',
  };
  const verdict = await registry.services.authorizer?.authorize(access);
  if (verdict?.decision === 'allow') return;
  throw StatusError.forbidden(
    { group, resource },
    name,
    `not permitted to do ${JSON.stringify(verb)}, reason: ${verdict?.reason ?? ''}`,
  );
}
