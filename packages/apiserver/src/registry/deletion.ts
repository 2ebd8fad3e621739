import { formatTime, type JsonObject, StatusError } from '@tsukube/machinery';
import { Mismatch } from '@tsukube/storage';
import type { CacheEntry } from '../watchcache/entry.ts';
import type { AdmissionAttributes } from './admission.ts';
import { type ObjectRegistry, type RegistryServices, throwIfCancelled, type WriteContext } from './object-registry.ts';
import { decodeObject, encodeObject, encodeStored } from './stored-form.ts';

/** DeleteOptions, decoded. */
export interface DeleteRequest extends Propagation {
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

export type Deleted =
  /** Gone; this was its last state. */
  | { readonly kind: 'gone'; readonly object: JsonObject }
  /** Marked, and waiting for finalizers or grace. */
  | { readonly kind: 'pending'; readonly entry: CacheEntry };

/** Removes an object, or marks it where something holds it. Starts over when somebody changes it meanwhile. */
export async function deleteObject(
  registry: ObjectRegistry,
  name: string,
  request: DeleteRequest,
  context: WriteContext,
): Promise<Deleted> {
  const key = registry.key(context.namespace, name);
  for (;;) {
    throwIfCancelled(context);
    const found = await registry.cache.get(key);
    if (!found) throw StatusError.notFound({ group: context.version.group, resource: registry.resource.names.plural }, name);
    try {
      return await tryDelete(registry, found, name, request, context);
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
    }
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
  if (!context.isAdmitted) await admit(registry, object, name, context);
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

async function admit(registry: ObjectRegistry, object: JsonObject, name: string, context: WriteContext): Promise<void> {
  // The request names no object where it deletes a collection, and admission sees the name of the request.
  const attributes = attributesOf(registry, object, context.verb === 'deletecollection' ? '' : name, context);
  await registry.services.admission.mutate(attributes);
  await registry.services.admission.validate(attributes);
}

/** What is to be done; `mark` has marked the object already. */
function plan(
  object: JsonObject,
  request: DeleteRequest,
  { strategy, version }: WriteContext,
  { now, keepsDependents }: RegistryServices,
): 'remove' | 'mark' | 'waiting' {
  const metadata = object.metadata as JsonObject;
  const graceful = strategy.beginDelete?.(object, {
    ...request,
    gracePeriodSeconds: nonNegative(request.gracePeriodSeconds),
  }) ?? {
    kind: 'now',
  };
  if (graceful.kind === 'waiting') return 'waiting';
  if (graceful.kind === 'marked') return 'mark';
  const before = metadata.finalizers;
  if (!keepsDependents) setPropagation(metadata, request, strategy.defaultPropagation?.(version) ?? 'delete');
  const held = ((metadata.finalizers as string[] | undefined)?.length ?? 0) > 0;
  if (graceful.kind === 'graceful') return markGraceful(metadata, graceful.seconds, now()) || held ? 'mark' : 'remove';
  if (!held) return 'remove';
  return markNow(metadata, now()) || metadata.finalizers !== before ? 'mark' : 'waiting';
}

/** Whether there is grace to wait for. A shorter grace period counts from when the deletion began, but not into the past. */
function markGraceful(metadata: JsonObject, seconds: number, now: number): boolean {
  let begun = now;
  if (metadata.deletionTimestamp === undefined) bumpGeneration(metadata);
  else begun = Date.parse(metadata.deletionTimestamp as string) - Number(metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  const end = begun + seconds * 1000;
  // The deletion stays graceful even where the shorter period has passed: whoever waits for it still ends it.
  const left = end < now ? Math.min(seconds, 1) : seconds;
  metadata.deletionTimestamp = formatTime(Math.max(end, now));
  metadata.deletionGracePeriodSeconds = left;
  return left > 0;
}

/** False if it was marked before. */
function markNow(metadata: JsonObject, now: number): boolean {
  if (metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0) return false;
  if (metadata.deletionTimestamp === undefined) bumpGeneration(metadata);
  // What was to go later goes now; what should have gone by now keeps its time.
  if (!(Date.parse(metadata.deletionTimestamp as string) <= now)) metadata.deletionTimestamp = formatTime(now);
  metadata.deletionGracePeriodSeconds = 0;
  return true;
}

function bumpGeneration(metadata: JsonObject): void {
  if (Number(metadata.generation ?? 0) > 0) metadata.generation = Number(metadata.generation) + 1;
}

/** Kubernetes takes a negative grace period as the shortest one. */
function nonNegative(seconds: number | undefined): number | undefined {
  return seconds !== undefined && seconds < 0 ? 1 : seconds;
}

function checkPreconditions(
  registry: ObjectRegistry,
  object: JsonObject,
  name: string,
  { preconditions }: DeleteRequest,
  { version }: WriteContext,
): void {
  const metadata = object.metadata as JsonObject;
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

function attributesOf(registry: ObjectRegistry, oldObject: JsonObject, name: string, context: WriteContext): AdmissionAttributes {
  const { version, namespace, subresource, user, dryRun } = context;
  return {
    operation: 'DELETE',
    resource: registry.resource,
    version,
    subresource,
    namespace,
    name,
    object: undefined,
    oldObject,
    user,
    dryRun,
  };
}

/** What is to become of the objects that belong to one that is deleted. */
export interface Propagation {
  readonly orphanDependents?: boolean;
  readonly propagationPolicy?: string;
}

/** What becomes of them if the request does not say. `unsupported`: nothing, whatever it says. */
export type DefaultPropagation = 'delete' | 'orphan' | 'unsupported';

export const orphanFinalizer = 'orphan';
export const foregroundFinalizer = 'foregroundDeletion';

/** Puts on an object the finalizers that make the garbage collector do what was asked, and takes off the others. */
export function setPropagation(metadata: JsonObject, asked: Propagation, fallback: DefaultPropagation): void {
  const finalizers = (metadata.finalizers ?? []) as string[];
  const wanted = fallback === 'unsupported' ? undefined : wantedFinalizer(finalizers, asked, fallback);
  const present = finalizers.filter(isOurs);
  if (present.length === (wanted === undefined ? 0 : 1) && present[0] === wanted) return;
  const others = finalizers.filter((finalizer) => !isOurs(finalizer));
  const rest = wanted === undefined ? others : [...others, wanted];
  if (rest.length > 0) metadata.finalizers = rest;
  else delete metadata.finalizers;
}

function isOurs(finalizer: string): boolean {
  return finalizer === orphanFinalizer || finalizer === foregroundFinalizer;
}

/** What the request says holds, then what the object says, then what is usual for its kind. */
function wantedFinalizer(
  finalizers: readonly string[],
  { orphanDependents, propagationPolicy }: Propagation,
  fallback: DefaultPropagation,
): string | undefined {
  if (orphanDependents !== undefined) return orphanDependents ? orphanFinalizer : undefined;
  if (propagationPolicy === 'Orphan') return orphanFinalizer;
  if (propagationPolicy === 'Foreground') return foregroundFinalizer;
  if (propagationPolicy === 'Background') return undefined;
  return finalizers.find(isOurs) ?? (fallback === 'orphan' ? orphanFinalizer : undefined);
}
