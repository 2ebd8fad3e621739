import {
  deleteObject,
  foregroundFinalizer,
  nameOfKey,
  type ObjectRegistry,
  orphanFinalizer,
  plainMetadata,
} from '@tsukube/apiserver';
import { type JsonObject, StatusError } from '@tsukube/machinery';
import { type ControllerContext, writeAs } from '../controller.ts';
import type { Directory } from './directory.ts';
import { finalizersIn, type Observer, ownersIn, waitsFor } from './observer.ts';
import { reportMisplacedOwner } from './owner-event.ts';
import type { OwnerGraph, OwnerReference } from './owner-graph.ts';
import { isElsewhere, type Standing, standingOf } from './ownership.ts';

export interface CollectorParts {
  readonly context: ControllerContext;
  readonly graph: OwnerGraph;
  readonly observer: Observer;
  readonly directory: Directory;
  /** Something has to be looked at. */
  readonly look: (key: string) => void;
  /** What it is about is not served now: it is to be looked at again when that changes. */
  readonly park: (key: string) => void;
}

interface Item {
  readonly key: string;
  readonly registry: ObjectRegistry;
  readonly name: string;
  readonly namespace: string;
  readonly metadata: JsonObject;
}

/** Looks at one object: deletes it if all its owners are gone, or lets it go if it only waited for its dependents. */
export async function collect(key: string, parts: CollectorParts): Promise<void> {
  const registry = parts.directory.ofKey(key);
  if (!registry) return parts.park(key);
  if (registry.resource.strategy.defaultPropagation?.(registry.resource.hub) === 'unsupported') return;
  const entry = await registry.cache.read(key);
  if (!entry) return;
  const metadata = plainMetadata(entry.value);
  const revision = String(entry.revision);
  const item = { key, registry, ...nameOfKey(registry.resource, key), metadata: { ...metadata, resourceVersion: revision } };
  const waits = waitsFor(metadata);
  if (waits === 'orphaning') await orphanDependents(item, parts);
  else if (waits === 'deletion') await awaitDependents(item, parts);
  else if (metadata.deletionTimestamp === undefined && ownersIn(metadata).length > 0) await judge(item, parts);
}

/** Takes an object that is going out of the references of its dependents, and lets it go. */
async function orphanDependents(item: Item, parts: CollectorParts): Promise<void> {
  const uid = item.metadata.uid as string;
  await Promise.all([...parts.graph.dependentsOf(uid)].map((key) => releaseFrom(key, new Set([uid]), parts)));
  await removeFinalizer(item, orphanFinalizer);
}

/** Lets an object go once no dependent blocks it; until then it sees to it that they go. */
async function awaitDependents(item: Item, { graph, look }: CollectorParts): Promise<void> {
  const blocking = [...graph.blocking(item.metadata.uid as string)];
  if (blocking.length === 0) return removeFinalizer(item, foregroundFinalizer);
  for (const dependent of blocking) if (!dependent.waits) look(dependent.key);
}

async function judge(item: Item, parts: CollectorParts): Promise<void> {
  const owners = ownersIn(item.metadata);
  const standings = await Promise.all(owners.map((owner) => standingOf(owner, item.namespace, parts.directory)));
  await reportMisplaced(item, owners, standings, parts);
  if (standings.includes('unknown')) return parts.park(item.key);
  if (standings.includes('misplaced')) return;
  const rest = owners.filter((_, i) => standings[i] !== 'solid');
  if (rest.length === owners.length) return remove(item, standings.includes('waiting'), parts);
  if (rest.length > 0) await releaseFrom(item.key, new Set(rest.map(({ uid }) => uid)), parts);
}

/** Who has no owner left goes; in the foreground if an owner waits for it and others belong to it in turn. */
async function remove(item: Item, awaited: boolean, parts: CollectorParts): Promise<void> {
  const { registry, name, namespace, metadata } = item;
  const dependents = awaited ? [...parts.graph.dependentsOf(metadata.uid as string)] : [];
  if (dependents.some((key) => parts.graph.get(key)?.waits)) await unblockOwners(item);
  const propagationPolicy = dependents.length > 0 ? 'Foreground' : policyOf(metadata);
  // Whoever changes the owners meanwhile may have given it a new one.
  const preconditions = { uid: metadata.uid as string, resourceVersion: metadata.resourceVersion as string };
  await unlessGone(() => deleteObject(registry, name, { propagationPolicy, preconditions }, writeAs(registry, namespace)));
}

/** What the object itself asks for holds. */
function policyOf(metadata: JsonObject): string {
  const finalizers = finalizersIn(metadata);
  if (finalizers.includes(orphanFinalizer)) return 'Orphan';
  return finalizers.includes(foregroundFinalizer) ? 'Foreground' : 'Background';
}

/** Where owners and dependents wait for each other in a circle, somebody must not block. */
function unblockOwners(item: Item): Promise<void> {
  return change(item, (metadata) => {
    metadata.ownerReferences = ownersIn(metadata).map((owner) =>
      owner.blockOwnerDeletion ? { ...owner, blockOwnerDeletion: false } : owner,
    ) as unknown as JsonObject[];
  });
}

async function releaseFrom(key: string, uids: ReadonlySet<string>, parts: CollectorParts): Promise<void> {
  const registry = parts.directory.ofKey(key);
  if (!registry) return parts.park(key);
  await change({ key, registry, ...nameOfKey(registry.resource, key) }, (metadata) => {
    const rest = ownersIn(metadata).filter(({ uid }) => !uids.has(uid));
    if (rest.length > 0) metadata.ownerReferences = rest as unknown as JsonObject[];
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

type Target = Pick<Item, 'key' | 'registry' | 'name' | 'namespace'> & { readonly metadata?: JsonObject };

/** Changes the newest state of an object, if it is still the same object. */
async function change({ registry, name, namespace, metadata }: Target, edit: (metadata: JsonObject) => void): Promise<void> {
  const transform = (existing: JsonObject | undefined): JsonObject => {
    const edited = { ...((existing as JsonObject).metadata as JsonObject) };
    edit(edited);
    return { ...(existing as JsonObject), metadata: edited };
  };
  const uid = metadata?.uid as string | undefined;
  await unlessGone(() => registry.update(name, uid, transform, writeAs(registry, namespace)));
}

async function unlessGone(write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!(error instanceof StatusError && error.code === 404)) throw error;
  }
}

/** An owner that is not found may be in another namespace, where it cannot be meant. */
async function reportMisplaced(
  { registry, metadata }: Item,
  owners: readonly OwnerReference[],
  standings: readonly Standing[],
  { context, observer, directory }: CollectorParts,
): Promise<void> {
  for (const [i, owner] of owners.entries()) {
    if ((standings[i] !== 'dangling' && standings[i] !== 'misplaced') || observer.isGone(owner.uid)) continue;
    const kind = directory.ofKind(owner.apiVersion, owner.kind);
    if (kind && (await isElsewhere(owner, kind))) await reportMisplacedOwner(registry, metadata, owner, context);
    else observer.noteGone(owner.uid);
  }
}
