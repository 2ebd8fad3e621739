import {
  type CacheEntry,
  decodeObject,
  deleteObject,
  follow,
  nameOfKey,
  type ObjectRegistry,
  type Resource,
  WorkQueue,
} from '@tsukube/apiserver';
import { deepEqual, formatTime, type JsonObject, objectIn, objectsIn, StatusError, textsIn } from '@tsukube/machinery';
import { type Controller, type ControllerContext, ignoreNotFound, registryNamed, writeAs } from './controller.ts';

const concurrency = 64;
/** Interval of retries while objects with finalizers remain. */
const recheckMs = 5000;

/** Deletes the contents of terminating namespaces, then removes the finalizer `kubernetes`. */
export function namespaceController(context: ControllerContext): Controller {
  const namespaces = registryNamed(context, 'namespaces');
  const terminating = new Set<string>();
  const queue = new WorkQueue((name) => reconcile(name), context.logger);

  const reconcile = async (name: string): Promise<void> => {
    const entry = await namespaces.cache.get(namespaces.key('', name));
    const object = entry && decodeObject(entry.value);
    if (!object || object.metadata.deletionTimestamp === undefined) return void terminating.delete(name);
    terminating.add(name);
    const remaining = await deleteContents(name, namespacedRegistries(context));
    if (remaining.count === 0 && (await finalize(name, namespaces))) return;
    await updateConditions(name, object, remaining, namespaces, context.now());
    queue.addAfter(name, recheckMs);
  };

  const stops = [
    follow(namespaces.cache, (entry) => {
      const { name } = nameOfKey(namespaces.resource, entry.key);
      if (terminating.has(name) || entry.value.includes('"deletionTimestamp"')) queue.add(name);
    }),
    context.feed.listen({
      prefix: context.storePrefix,
      onChanges(changes) {
        for (const name of terminating) if (changes.some(({ entry }) => entry.key.includes(`/${name}/`))) queue.add(name);
      },
      onGap: () => {},
    }),
  ];

  return {
    stop() {
      queue.stop();
      for (const stop of stops) stop();
    },
  };
}

/** The registries of all namespaced resources, custom ones included; one per storage prefix. */
function namespacedRegistries({ resources, registryOf }: ControllerContext): readonly ObjectRegistry[] {
  const namespaced = new Map<string, Resource>();
  for (const resource of resources) {
    const place = resource.storagePrefix || resource.names.plural;
    if (resource.scope === 'Namespaced' && !namespaced.has(place)) namespaced.set(place, resource);
  }
  return [...namespaced.values()].flatMap((resource) => registryOf(resource) ?? []);
}

/** Deletes the contents of a namespace and counts what remains. */
async function deleteContents(namespace: string, contents: readonly ObjectRegistry[]): Promise<Remaining> {
  const resources = new Map<string, number>();
  const finalizers = new Map<string, number>();
  let count = 0;
  for (const registry of contents) {
    await registry.cache.fresh();
    const entries = registry.cache.slice(registry.prefix(namespace));
    for (let i = 0; i < entries.length; i += concurrency) {
      await Promise.all(entries.slice(i, i + concurrency).map((entry) => deleteEntry(registry, namespace, entry)));
    }
    const rest = registry.cache.slice(registry.prefix(namespace));
    if (rest.length === 0) continue;
    const { names, hub } = registry.resource;
    resources.set(`${names.plural}.${hub.group}`, rest.length);
    count += rest.length;
    for (const entry of rest) countFinalizers(entry, finalizers);
  }
  return { count, resources, finalizers };
}

async function deleteEntry(registry: ObjectRegistry, namespace: string, entry: CacheEntry): Promise<void> {
  const { name } = nameOfKey(registry.resource, entry.key);
  await ignoreNotFound(
    deleteObject(registry, name, { gracePeriodSeconds: 0, propagationPolicy: 'Background' }, writeAs(registry, namespace)),
  );
}

function countFinalizers(entry: CacheEntry, counts: Map<string, number>): void {
  for (const finalizer of decodeObject(entry.value).metadata.finalizers ?? [])
    counts.set(finalizer, (counts.get(finalizer) ?? 0) + 1);
}

/** Removes the finalizer `kubernetes`. Returns whether the namespace is gone. */
async function finalize(name: string, namespaces: ObjectRegistry): Promise<boolean> {
  const withoutFinalizer = (existing: JsonObject | undefined): JsonObject => {
    const object = existing as JsonObject;
    const spec = { ...objectIn(object, 'spec') };
    const rest = textsIn(spec, 'finalizers').filter((finalizer) => finalizer !== 'kubernetes');
    if (rest.length > 0) spec.finalizers = rest;
    else delete spec.finalizers;
    return { ...object, spec };
  };
  try {
    const { outcome } = await namespaces.update(name, undefined, withoutFinalizer, writeAs(namespaces, '', 'finalize'));
    return outcome === 'removed';
  } catch (error) {
    if (error instanceof StatusError && error.code === 404) return true;
    throw error;
  }
}

async function updateConditions(
  name: string,
  object: JsonObject,
  remaining: Remaining,
  namespaces: ObjectRegistry,
  now: number,
): Promise<void> {
  const old = objectsIn(objectIn(object, 'status'), 'conditions');
  const conditions = terminationConditions(remaining, old, formatTime(now));
  if (deepEqual(conditions, [...old])) return;
  const withConditions = (existing: JsonObject | undefined): JsonObject => ({
    ...(existing as JsonObject),
    status: { ...objectIn(existing, 'status'), conditions },
  });
  await ignoreNotFound(namespaces.update(name, undefined, withConditions, writeAs(namespaces, '', 'status')));
}

/** The remaining contents of a terminating namespace. */
interface Remaining {
  readonly count: number;
  /** resource.group → instances */
  readonly resources: ReadonlyMap<string, number>;
  /** finalizer → instances */
  readonly finalizers: ReadonlyMap<string, number>;
}

interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** The conditions of a terminating namespace. lastTransitionTime changes only with the status of a condition. */
function terminationConditions(remaining: Remaining, old: readonly JsonObject[], now: string): JsonObject[] {
  return conditionsOf(remaining).map((condition) => {
    const before = old.find(({ type }) => type === condition.type);
    const lastTransitionTime = before?.status === condition.status ? (before.lastTransitionTime as string) : now;
    return {
      type: condition.type,
      status: condition.status,
      lastTransitionTime,
      reason: condition.reason,
      message: condition.message,
    };
  });
}

function conditionsOf({ resources, finalizers }: Remaining): Condition[] {
  return [
    {
      type: 'NamespaceDeletionDiscoveryFailure',
      status: 'False',
      reason: 'ResourcesDiscovered',
      message: 'All resources successfully discovered',
    },
    {
      type: 'NamespaceDeletionGroupVersionParsingFailure',
      status: 'False',
      reason: 'ParsedGroupVersions',
      message: 'All legacy kube types successfully parsed',
    },
    {
      type: 'NamespaceDeletionContentFailure',
      status: 'False',
      reason: 'ContentDeleted',
      message: 'All content successfully deleted, may be waiting on finalization',
    },
    contentCondition(resources),
    finalizerCondition(finalizers),
  ];
}

function contentCondition(resources: ReadonlyMap<string, number>): Condition {
  const type = 'NamespaceContentRemaining';
  if (resources.size === 0)
    return { type, status: 'False', reason: 'ContentRemoved', message: 'All content successfully removed' };
  const list = sorted(resources).map(([resource, count]) => `${resource} has ${count} resource instances`);
  return { type, status: 'True', reason: 'SomeResourcesRemain', message: `Some resources are remaining: ${list.join(', ')}` };
}

function finalizerCondition(finalizers: ReadonlyMap<string, number>): Condition {
  const type = 'NamespaceFinalizersRemaining';
  if (finalizers.size === 0)
    return { type, status: 'False', reason: 'ContentHasNoFinalizers', message: 'All content-preserving finalizers finished' };
  const list = sorted(finalizers).map(([finalizer, count]) => `${finalizer} in ${count} resource instances`);
  return {
    type,
    status: 'True',
    reason: 'SomeFinalizersRemain',
    message: `Some content in the namespace has finalizers remaining: ${list.join(', ')}`,
  };
}

function sorted(counts: ReadonlyMap<string, number>): [string, number][] {
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}
