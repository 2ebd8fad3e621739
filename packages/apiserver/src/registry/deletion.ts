import { formatTime, type JsonObject, type KubeObject, type ObjectMeta, StatusError } from '@tsukube/machinery';
import { Mismatch } from '@tsukube/storage';
import type { CacheEntry } from '../watchcache/entry.ts';
import { admissionAttributes } from './admission-attributes.ts';
import { pauseAfterConflict } from './backoff.ts';
import type { ObjectRegistry, RegistryServices } from './object-registry.ts';
import { decodeObject, encodeObject, encodeStored } from './stored-form.ts';
import { throwIfCancelled, type WriteContext } from './write-context.ts';
import { modifiedConcurrently } from './write-errors.ts';

/** How a deletion propagates to dependents. */
export interface Propagation {
  readonly orphanDependents?: boolean;
  readonly propagationPolicy?: string;
}

/** DeleteOptions, decoded. */
export interface DeleteRequest extends Propagation {
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

export type Deleted =
  /** Deleted; `object` is the last state. */
  | { readonly kind: 'gone'; readonly object: KubeObject }
  /** Marked with a deletionTimestamp; finalizers or the grace period delay the deletion. */
  | { readonly kind: 'pending'; readonly entry: CacheEntry };

/** Deletes an object, or marks it if finalizers or a grace period delay that. Starts over after a conflict. */
export async function deleteObject(
  registry: ObjectRegistry,
  name: string,
  request: DeleteRequest,
  context: WriteContext,
): Promise<Deleted> {
  const key = registry.key(context.namespace, name);
  const qualified = { group: context.version.group, resource: registry.resource.names.plural };
  for (let attempt = 1; ; attempt++) {
    throwIfCancelled(context);
    const found = await registry.cache.get(key);
    if (!found) throw StatusError.notFound(qualified, name);
    try {
      return await tryDelete(registry, found, name, request, context);
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
    }
    if (!(await pauseAfterConflict(attempt, registry.random))) throw modifiedConcurrently(qualified, name);
  }
}

async function tryDelete(
  registry: ObjectRegistry,
  found: CacheEntry,
  name: string,
  request: DeleteRequest,
  context: WriteContext,
): Promise<Deleted> {
  const object = decodeObject(found.value);
  checkPreconditions(registry, object, name, request, context);
  if (!context.isAdmitted) {
    // Begun on a copy, because admission sees the object as it is stored.
    const begun = context.strategy.beginDelete?.(decodeObject(found.value), strategyRequest(request));
    if (begun?.kind === 'waiting') return { kind: 'pending', entry: found };
    await admit(
      registry,
      object,
      name,
      begun?.kind === 'graceful' ? { ...request, gracePeriodSeconds: begun.seconds } : request,
      context,
    );
  }
  const next = plan(object, request, context, registry.services);
  if (next === 'waiting') return { kind: 'pending', entry: found };
  if (next === 'remove') {
    if (!context.dryRun) await registry.remove(found, object, context);
    return { kind: 'gone', object };
  }
  if (context.dryRun)
    return { kind: 'pending', entry: { ...found, value: Buffer.from(encodeObject(object)), derived: undefined } };
  const options = { isCancelled: context.isOver };
  return { kind: 'pending', entry: await registry.cache.update(found.key, encodeStored(object), found.revision, options) };
}

/** Admission sees the request of a collection, not that of its item: without a name, and with the options as sent. */
async function admit(
  registry: ObjectRegistry,
  object: KubeObject,
  name: string,
  request: DeleteRequest,
  context: WriteContext,
): Promise<void> {
  const isCollection = context.verb === 'deletecollection';
  const options = () => (isCollection && context.options?.('DELETE')) || deleteOptionsOf(request, object, context);
  const admitted = { name: isCollection ? '' : name, object: undefined, oldObject: object };
  const attributes = admissionAttributes('DELETE', registry.resource, admitted, { ...context, options });
  await registry.services.admission.mutate(attributes);
  await registry.services.admission.validate(attributes);
}

/** The options as the registry of Kubernetes completes them before admission. */
function deleteOptionsOf(request: DeleteRequest, { metadata }: KubeObject, { strategy, dryRun }: WriteContext): JsonObject {
  const { gracePeriodSeconds, orphanDependents, propagationPolicy } = request;
  const preconditions = strategy.uidPrecondition ? { uid: metadata.uid, ...request.preconditions } : request.preconditions;
  return deleteOptionsObject({
    gracePeriodSeconds: nonNegative(gracePeriodSeconds),
    preconditions,
    orphanDependents,
    propagationPolicy,
    dryRun: dryRun ? ['All'] : undefined,
  });
}

/** DeleteOptions of meta.k8s.io/v1 with the defined ones of these fields. */
export function deleteOptionsObject(fields: Readonly<Record<string, unknown>>): JsonObject {
  const defined = Object.entries(fields).filter(([, value]) => value !== undefined);
  return { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', ...(Object.fromEntries(defined) as JsonObject) };
}

function strategyRequest(request: DeleteRequest): DeleteRequest {
  return { ...request, gracePeriodSeconds: nonNegative(request.gracePeriodSeconds) };
}

/** Decides what to do and sets the deletion metadata. `mark`: the changed object is stored. */
function plan(
  object: KubeObject,
  request: DeleteRequest,
  { strategy, version }: WriteContext,
  { now, keepsDependents }: RegistryServices,
): 'remove' | 'mark' | 'waiting' {
  const { metadata } = object;
  const graceful = strategy.beginDelete?.(object, strategyRequest(request)) ?? { kind: 'now' };
  if (graceful.kind === 'waiting') return 'waiting';
  if (graceful.kind === 'marked') return 'mark';
  const before = metadata.finalizers;
  if (!keepsDependents) setPropagation(metadata, request, strategy.defaultPropagation?.(version) ?? 'delete');
  const hasFinalizers = (metadata.finalizers?.length ?? 0) > 0;
  if (graceful.kind === 'graceful') return markGraceful(metadata, graceful.seconds, now()) || hasFinalizers ? 'mark' : 'remove';
  if (!hasFinalizers) return 'remove';
  return markNow(metadata, now()) || metadata.finalizers !== before ? 'mark' : 'waiting';
}

/** Returns whether a grace period is left. A shortened one counts from the start of the deletion, but never into the past. */
function markGraceful(metadata: ObjectMeta, seconds: number, now: number): boolean {
  let begun = now;
  if (metadata.deletionTimestamp === undefined) bumpGeneration(metadata);
  else begun = Date.parse(metadata.deletionTimestamp) - Number(metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  const end = begun + seconds * 1000;
  // The deletion stays graceful if the shortened period has passed: the kubelet still completes it.
  const left = end < now ? Math.min(seconds, 1) : seconds;
  metadata.deletionTimestamp = formatTime(Math.max(end, now));
  metadata.deletionGracePeriodSeconds = left;
  return left > 0;
}

/** Returns false if the object was marked before. */
function markNow(metadata: ObjectMeta, now: number): boolean {
  if (metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0) return false;
  if (metadata.deletionTimestamp === undefined) bumpGeneration(metadata);
  // A deletionTimestamp in the future moves to now; one in the past stays.
  if (!(Date.parse(metadata.deletionTimestamp ?? '') <= now)) metadata.deletionTimestamp = formatTime(now);
  metadata.deletionGracePeriodSeconds = 0;
  return true;
}

function bumpGeneration(metadata: ObjectMeta): void {
  if (Number(metadata.generation ?? 0) > 0) metadata.generation = Number(metadata.generation) + 1;
}

/** Kubernetes treats a negative grace period as one second. */
function nonNegative(seconds: number | undefined): number | undefined {
  return seconds !== undefined && seconds < 0 ? 1 : seconds;
}

function checkPreconditions(
  registry: ObjectRegistry,
  { metadata }: KubeObject,
  name: string,
  { preconditions }: DeleteRequest,
  { version }: WriteContext,
): void {
  const kind = { group: version.group, resource: registry.resource.names.kind };
  if (preconditions?.uid !== undefined && preconditions.uid !== metadata.uid) {
    const reason = `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`;
    throw StatusError.conflict(kind, name, reason);
  }
  if (preconditions?.resourceVersion !== undefined && preconditions.resourceVersion !== metadata.resourceVersion) {
    const reason = `the ResourceVersion in the precondition (${preconditions.resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`;
    throw StatusError.conflict(kind, name, reason);
  }
}

/** The propagation of requests without a policy. `unsupported`: the kind ignores policies. */
export type DefaultPropagation = 'delete' | 'orphan' | 'unsupported';

export const orphanFinalizer = 'orphan';
export const foregroundFinalizer = 'foregroundDeletion';

/** Sets the finalizer (`orphan` or `foregroundDeletion`) that represents the propagation policy, and removes the other one. */
export function setPropagation(metadata: ObjectMeta, requested: Propagation, fallback: DefaultPropagation): void {
  const finalizers = metadata.finalizers ?? [];
  const wanted = fallback === 'unsupported' ? undefined : propagationFinalizer(finalizers, requested, fallback);
  const present = finalizers.filter(isPropagationFinalizer);
  if (present.length === (wanted === undefined ? 0 : 1) && present[0] === wanted) return;
  const others = finalizers.filter((finalizer) => !isPropagationFinalizer(finalizer));
  const rest = wanted === undefined ? others : [...others, wanted];
  if (rest.length > 0) metadata.finalizers = rest;
  else delete metadata.finalizers;
}

function isPropagationFinalizer(finalizer: string): boolean {
  return finalizer === orphanFinalizer || finalizer === foregroundFinalizer;
}

/** The request decides, then the finalizers of the object, then the default of its kind. */
function propagationFinalizer(
  finalizers: readonly string[],
  { orphanDependents, propagationPolicy }: Propagation,
  fallback: DefaultPropagation,
): string | undefined {
  if (orphanDependents !== undefined) return orphanDependents ? orphanFinalizer : undefined;
  if (propagationPolicy === 'Orphan') return orphanFinalizer;
  if (propagationPolicy === 'Foreground') return foregroundFinalizer;
  if (propagationPolicy === 'Background') return undefined;
  return finalizers.find(isPropagationFinalizer) ?? (fallback === 'orphan' ? orphanFinalizer : undefined);
}
