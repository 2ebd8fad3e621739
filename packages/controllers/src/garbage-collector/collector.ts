import {
  deleteObject,
  foregroundFinalizer,
  nameOfKey,
  type ObjectRegistry,
  orphanFinalizer,
  plainMetadata,
  updateExisting,
} from '@tsukube/apiserver';
import {
  apiVersionOf,
  formatTime,
  type JsonObject,
  type KubeObject,
  type ObjectMeta,
  type OwnerReference,
} from '@tsukube/machinery';
import { type ControllerContext, ignoreNotFound, registryNamed, writeAs } from '../controller.ts';
import { finalizersIn, type GraphBuilder, ownersIn, waitsFor } from './graph-builder.ts';
import type { OwnerGraph } from './owner-graph.ts';
import { isInOtherNamespace, type OwnerState, ownerState, type RegistryMapper } from './owners.ts';

export interface CollectorParts {
  readonly context: ControllerContext;
  readonly graph: OwnerGraph;
  readonly builder: GraphBuilder;
  readonly mapper: RegistryMapper;
  /** Keeps a key whose resource, or that of its owner, is not served until resources change. */
  readonly park: (key: string) => void;
}

interface Item {
  readonly key: string;
  readonly registry: ObjectRegistry;
  readonly name: string;
  readonly namespace: string;
  readonly metadata: ObjectMeta;
}

/** Processes one object: deletes it if all owners are gone, or removes its finalizer once its dependents allow it. */
export async function collectObject(key: string, parts: CollectorParts): Promise<void> {
  const registry = parts.mapper.ofKey(key);
  if (!registry) return parts.park(key);
  if (registry.resource.strategy.defaultPropagation?.(registry.resource.hub) === 'unsupported') return;
  const entry = await registry.cache.read(key);
  if (!entry) return;
  const metadata: ObjectMeta = plainMetadata(entry.value);
  const revision = String(entry.revision);
  const item = { key, registry, ...nameOfKey(registry.resource, key), metadata: { ...metadata, resourceVersion: revision } };
  const waits = waitsFor(metadata);
  if (waits === 'orphaning') await orphanDependents(item, parts);
  else if (waits === 'deletion') await awaitDependents(item, parts);
  else if (metadata.deletionTimestamp === undefined && ownersIn(metadata).length > 0) await attemptToDelete(item, parts);
}

/** Concurrent updates of dependents. */
const concurrency = 64;

/** Removes the owner reference from all dependents, then the orphan finalizer. */
async function orphanDependents(item: Item, parts: CollectorParts): Promise<void> {
  const { uid = '' } = item.metadata;
  const keys = [...parts.graph.dependentsOf(uid)];
  for (let i = 0; i < keys.length; i += concurrency)
    await Promise.all(keys.slice(i, i + concurrency).map((key) => releaseFrom(key, new Set([uid]), parts)));
  await removeFinalizer(item, orphanFinalizer);
}

/** Foreground deletion: removes the finalizer once no dependent blocks it. The graph builder has enqueued the dependents. */
async function awaitDependents(item: Item, { graph }: CollectorParts): Promise<void> {
  if (!graph.isBlocked(item.metadata.uid ?? '')) await removeFinalizer(item, foregroundFinalizer);
}

async function attemptToDelete(item: Item, parts: CollectorParts): Promise<void> {
  const owners = ownersIn(item.metadata);
  const states = await Promise.all(owners.map((owner) => ownerState(owner, item.namespace, parts.mapper)));
  await reportMisplaced(item, owners, states, parts);
  if (states.includes('unknown')) return parts.park(item.key);
  if (states.includes('misplaced')) return;
  const rest = owners.filter((_, i) => states[i] !== 'solid');
  if (rest.length === owners.length) return remove(item, states.includes('waiting'), parts);
  if (rest.length > 0) await releaseFrom(item.key, new Set(rest.map(({ uid }) => uid)), parts);
}

/** Deletes an object without owners; in the foreground if an owner waits for it and it has dependents itself. */
async function remove(item: Item, awaited: boolean, parts: CollectorParts): Promise<void> {
  const { registry, name, namespace, metadata } = item;
  const { uid = '', resourceVersion } = metadata;
  const dependents = awaited ? [...parts.graph.dependentsOf(uid)] : [];
  if (dependents.some((key) => parts.graph.get(key)?.waits)) await unblockOwners(item);
  const propagationPolicy = dependents.length > 0 ? 'Foreground' : policyOf(metadata);
  // The resourceVersion guards against a concurrent write that adds an owner.
  const preconditions = { uid, resourceVersion };
  await ignoreNotFound(deleteObject(registry, name, { propagationPolicy, preconditions }, writeAs(registry, namespace)));
}

/** The finalizers of the object determine the propagation policy. */
function policyOf(metadata: ObjectMeta): string {
  const finalizers = finalizersIn(metadata);
  if (finalizers.includes(orphanFinalizer)) return 'Orphan';
  return finalizers.includes(foregroundFinalizer) ? 'Foreground' : 'Background';
}

/** Breaks a cycle of owners and dependents that wait for each other. */
function unblockOwners(item: Item): Promise<void> {
  return change(item, (metadata) => {
    metadata.ownerReferences = ownersIn(metadata).map((owner) =>
      owner.blockOwnerDeletion ? { ...owner, blockOwnerDeletion: false } : owner,
    );
  });
}

async function releaseFrom(key: string, uids: ReadonlySet<string>, parts: CollectorParts): Promise<void> {
  const registry = parts.mapper.ofKey(key);
  if (!registry) return parts.park(key);
  await change({ key, registry, ...nameOfKey(registry.resource, key) }, (metadata) => {
    const rest = ownersIn(metadata).filter(({ uid }) => !uids.has(uid));
    if (rest.length > 0) metadata.ownerReferences = rest;
    else delete metadata.ownerReferences;
  });
}

function removeFinalizer(item: Item, finalizer: string): Promise<void> {
  return change(item, (metadata) => {
    const rest = finalizersIn(metadata).filter((other) => other !== finalizer);
    if (rest.length > 0) metadata.finalizers = rest;
    else delete metadata.finalizers;
  });
}

type Target = Pick<Item, 'key' | 'registry' | 'name' | 'namespace'> & { readonly metadata?: ObjectMeta };

/** Updates the metadata of the current object, with the uid as a precondition. */
async function change({ registry, name, namespace, metadata }: Target, edit: (metadata: ObjectMeta) => void): Promise<void> {
  const withMetadata = (existing: KubeObject): JsonObject => {
    const edited = { ...existing.metadata };
    edit(edited);
    return { ...existing, metadata: edited };
  };
  await ignoreNotFound(updateExisting(registry, name, metadata?.uid, withMetadata, writeAs(registry, namespace)));
}

/** An owner that is not found may exist in another namespace, which is an invalid reference. */
async function reportMisplaced(
  { registry, metadata }: Item,
  owners: readonly OwnerReference[],
  states: readonly OwnerState[],
  { context, builder, mapper }: CollectorParts,
): Promise<void> {
  for (const [i, owner] of owners.entries()) {
    if ((states[i] !== 'dangling' && states[i] !== 'misplaced') || builder.isDeleted(owner.uid)) continue;
    const kind = mapper.ofKind(owner.apiVersion, owner.kind);
    if (kind && (await isInOtherNamespace(owner, kind, registryNamed(context, 'namespaces'))))
      await reportMisplacedOwner(registry, metadata, owner, context);
    else builder.rememberDeleted(owner.uid);
  }
}

const component = 'garbage-collector-controller';

/** Creates a warning event: the object names an owner in another namespace. */
async function reportMisplacedOwner(
  registry: ObjectRegistry,
  metadata: ObjectMeta,
  { apiVersion, kind, name, uid }: OwnerReference,
  context: ControllerContext,
): Promise<void> {
  const events = registryNamed(context, 'events');
  const { namespace = '' } = metadata;
  const owner = `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
  const now = context.now();
  const event: JsonObject = {
    kind: 'Event',
    apiVersion: 'v1',
    metadata: { name: `${metadata.name}.${(BigInt(now) * 1_000_000n).toString(16)}` },
    involvedObject: {
      kind: registry.resource.names.kind,
      ...(namespace !== '' && { namespace }),
      name: metadata.name ?? '',
      uid: metadata.uid ?? '',
      apiVersion: apiVersionOf(registry.resource.hub),
    },
    reason: 'OwnerRefInvalidNamespace',
    message: `ownerRef ${owner} does not exist in namespace ${JSON.stringify(namespace)}`,
    source: { component },
    firstTimestamp: formatTime(now),
    lastTimestamp: formatTime(now),
    count: 1,
    type: 'Warning',
    eventTime: null,
    reportingComponent: component,
    reportingInstance: '',
  };
  await events.create(event, writeAs(events, namespace || 'default'));
}
