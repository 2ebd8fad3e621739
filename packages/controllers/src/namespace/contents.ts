import {
  type CacheEntry,
  decodeObject,
  deleteObject,
  deleteOptionsObject,
  nameOfKey,
  type ObjectRegistry,
  plainMetadata,
} from '@tsukube/apiserver';
import { metadataOf, numberIn, objectIn, StatusError, textIn } from '@tsukube/machinery';
import { type ControllerContext, ignoreNotFound, registryNamed, writeAs } from '../controller.ts';
import type { DeletionResult } from './conditions.ts';
import { deleteRemote, RemoteFailure, type RemoteResource } from './remote-resources.ts';
import { discoverRemotes, isPodResource, type NamespacedResource, namespacedResources } from './resources.ts';

/** Concurrent deletions: enough to share commits, few enough to leave room for requests. */
const concurrency = 64;
/** Expected duration of finalizers. */
const finalizerSeconds = 15;

export interface NamespaceDeletion extends DeletionResult {
  /** Expected seconds until the remaining contents are gone; 0 if nothing remains. */
  readonly estimate: number;
}

/** The outcome for one resource. `failure` is the message of the first object that could not be deleted. */
interface Outcome {
  /** How many objects remain, and their finalizers. */
  readonly remaining: number;
  readonly finalizers?: readonly string[];
  readonly estimate: number;
  readonly failure?: string;
}

/**
 * Deletes the contents of a namespace: first the pods, and everything else once they are gone. A resource that fails does not
 * stop the others.
 */
export async function deleteContents(
  namespace: string,
  deletedAt: number,
  context: ControllerContext,
): Promise<NamespaceDeletion> {
  const remote = await discoverRemotes(context);
  const totals = new Totals(remote.stale);
  const resources = namespacedResources(context);
  for (const resource of resources.filter(isPodResource)) {
    const outcome = await deleteAll(resource, namespace, deletedAt, context);
    totals.add(resource.names, outcome);
    // As kube-controller-manager, without conditions about what remains.
    if (outcome.remaining > 0) return { ...totals.result(), resources: new Map(), finalizers: new Map() };
  }
  for (const resource of resources) {
    if (!isPodResource(resource)) totals.add(resource.names, await deleteAll(resource, namespace, deletedAt, context));
  }
  for (const resource of remote.resources) {
    totals.add([`${resource.plural}.${resource.group}`], await deleteAllRemote(resource, namespace, context));
  }
  return totals.result();
}

class Totals {
  readonly #staleVersions: readonly string[];
  readonly #failures: string[] = [];
  readonly #resources = new Map<string, number>();
  readonly #finalizers = new Map<string, number>();
  #estimate = 0;

  constructor(stale: readonly string[]) {
    this.#staleVersions = stale;
  }

  /** `names`: resource.group, for each group that serves the resource. */
  add(names: readonly string[], { remaining, finalizers = [], estimate, failure }: Outcome): void {
    this.#estimate = Math.max(this.#estimate, estimate);
    if (failure !== undefined) this.#failures.push(failure);
    if (remaining === 0) return;
    for (const name of names) this.#resources.set(name, remaining);
    for (const finalizer of finalizers) this.#finalizers.set(finalizer, (this.#finalizers.get(finalizer) ?? 0) + names.length);
  }

  result(): NamespaceDeletion {
    return {
      staleVersions: this.#staleVersions,
      failures: this.#failures,
      resources: this.#resources,
      finalizers: this.#finalizers,
      estimate: this.#estimate,
    };
  }
}

/** Resources without objects in the namespace are not loaded into memory. */
async function deleteAll(
  resource: NamespacedResource,
  namespace: string,
  deletedAt: number,
  context: ControllerContext,
): Promise<Outcome> {
  const { registry, qualified } = resource;
  const prefix = registry.prefix(namespace);
  try {
    if ((await context.store.list(prefix, { limit: 1 })).entries.length === 0) return gone;
    const isNode = isPodResource(resource) ? nodeLookup(context) : undefined;
    await deleteEntries(registry, namespace, (await registry.cache.list(prefix)).entries, isNode);
    const entries: readonly CacheEntry[] = (await registry.cache.list(prefix)).entries;
    const grace = isNode ? gracePeriodLeft(entries, deletedAt, context.now()) : 0;
    const finalizers = entries.flatMap(({ value }) => plainMetadata(value).finalizers ?? []);
    return outcomeOf(entries.length, finalizers, grace, `${namespace} for gvr: ${qualified}`);
  } catch (error) {
    context.logger.debug('objects of a terminating namespace could not be deleted', { qualified, error: String(error) });
    return { ...gone, failure: messageOf(error) };
  }
}

async function deleteAllRemote(resource: RemoteResource, namespace: string, context: ControllerContext): Promise<Outcome> {
  const qualified = `${resource.group}/${resource.version}, Resource=${resource.plural}`;
  try {
    const remaining = await deleteRemote(resource, namespace, context);
    const finalizers = remaining.flatMap((item) => metadataOf(item).finalizers ?? []);
    return outcomeOf(remaining.length, finalizers, 0, `${namespace} for gvr: ${qualified}`);
  } catch (error) {
    context.logger.debug('objects of a terminating namespace could not be deleted', { qualified, error: String(error) });
    return { ...gone, failure: messageOf(error) };
  }
}

const gone: Outcome = { remaining: 0, estimate: 0 };

/** Objects may remain for a grace period or because of finalizers. */
function outcomeOf(remaining: number, finalizers: readonly string[], grace: number, place: string): Outcome {
  if (remaining === 0) return gone;
  const estimate = grace || (finalizers.length > 0 ? finalizerSeconds : 0);
  if (estimate > 0) return { remaining, finalizers, estimate };
  return { remaining, finalizers, estimate, failure: `unexpected items still remain in namespace: ${place}` };
}

/** Errors other than Status errors are only logged. */
function messageOf(error: unknown): string {
  const isShown = error instanceof StatusError || error instanceof RemoteFailure;
  return isShown ? error.message : 'an error on the server has prevented the request from succeeding';
}

type IsNode = (name: string) => Promise<boolean>;

/** Stops after the batch of the first failure, as the deletion of a collection does. */
async function deleteEntries(
  registry: ObjectRegistry,
  namespace: string,
  entries: readonly CacheEntry[],
  isNode: IsNode | undefined,
): Promise<void> {
  for (let i = 0; i < entries.length; i += concurrency) {
    const batch = entries.slice(i, i + concurrency);
    const results = await Promise.allSettled(batch.map((entry) => deleteEntry(registry, namespace, entry, isNode)));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }
}

async function deleteEntry(
  registry: ObjectRegistry,
  namespace: string,
  entry: CacheEntry,
  isNode: IsNode | undefined,
): Promise<void> {
  const { name } = nameOfKey(registry.resource, entry.key);
  // Admission sees the deletion of a collection, as by kube-controller-manager.
  const options = () => deleteOptionsObject({ propagationPolicy: 'Background' });
  const context = { ...writeAs(registry, namespace), verb: 'deletecollection', options };
  const isOrphaned = isNode !== undefined && (await isOnMissingNode(entry, isNode));
  const request = { propagationPolicy: 'Background', ...(isOrphaned && { gracePeriodSeconds: 0 }) };
  await ignoreNotFound(deleteObject(registry, name, request, context));
}

/** No kubelet will complete the deletion of such a pod. kube-controller-manager leaves it to its pod garbage collector. */
async function isOnMissingNode({ value }: CacheEntry, isNode: IsNode): Promise<boolean> {
  if (!value.includes('"nodeName":"')) return false;
  const node = textIn(objectIn(decodeObject(value), 'spec'), 'nodeName');
  return node !== '' && !(await isNode(node));
}

function nodeLookup(context: ControllerContext): IsNode {
  const nodes = registryNamed(context, 'nodes');
  return async (name) => (await nodes.cache.get(nodes.key('', name))) !== undefined;
}

/** The longest grace period of the pods, or 0 if it has passed since the namespace was deleted. */
function gracePeriodLeft(pods: readonly CacheEntry[], deletedAt: number, now: number): number {
  let longest = 0;
  for (const { value } of pods) {
    const pod = decodeObject(value);
    const phase = textIn(objectIn(pod, 'status'), 'phase');
    if (phase === 'Succeeded' || phase === 'Failed') continue;
    longest = Math.max(longest, numberIn(objectIn(pod, 'spec') ?? {}, 'terminationGracePeriodSeconds'));
  }
  return now - deletedAt >= longest * 1000 ? 0 : longest;
}
