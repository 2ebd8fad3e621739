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
import { deepEqual, formatTime, type JsonObject, StatusError } from '@tsukube/machinery';
import { type Controller, type ControllerContext, registryNamed, writeAs } from './controller.ts';
import { type Remaining, terminationConditions } from './namespace-conditions.ts';

const concurrency = 64;
/** Content that is held by finalizers is looked at again after this time, should an event have been missed. */
const recheckMs = 5000;

/** Empties namespaces that are going, and lets them go when they are empty. */
export function namespaceController(context: ControllerContext): Controller {
  const namespaces = registryNamed(context, 'namespaces');
  const terminating = new Set<string>();
  const queue = new WorkQueue((name) => reconcile(name), context.logger);

  const reconcile = async (name: string): Promise<void> => {
    const entry = await namespaces.cache.get(namespaces.key('', name));
    const object = entry && decodeObject(entry.value);
    if (!object || (object.metadata as JsonObject).deletionTimestamp === undefined) return void terminating.delete(name);
    terminating.add(name);
    const remaining = await empty(name, namespacedRegistries(context));
    if (remaining.count === 0 && (await release(name, namespaces))) return;
    await report(name, object, remaining, namespaces, context.now());
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

/** Of everything that can be in a namespace now, custom resources included. Of versions that share their objects, one. */
function namespacedRegistries({ resources, registryOf }: ControllerContext): readonly ObjectRegistry[] {
  const namespaced = new Map<string, Resource>();
  for (const resource of resources) {
    const place = resource.storagePrefix || resource.names.plural;
    if (resource.scope === 'Namespaced' && !namespaced.has(place)) namespaced.set(place, resource);
  }
  return [...namespaced.values()].flatMap((resource) => registryOf(resource) ?? []);
}

/** Deletes what can be deleted and tells what is left. */
async function empty(namespace: string, contents: readonly ObjectRegistry[]): Promise<Remaining> {
  const resources = new Map<string, number>();
  const finalizers = new Map<string, number>();
  let count = 0;
  for (const registry of contents) {
    await registry.cache.fresh();
    const entries = registry.cache.slice(registry.prefix(namespace));
    for (let i = 0; i < entries.length; i += concurrency) {
      await Promise.all(entries.slice(i, i + concurrency).map((entry) => deleteEntry(registry, namespace, entry)));
    }
    const left = registry.cache.slice(registry.prefix(namespace));
    if (left.length === 0) continue;
    const { names, hub } = registry.resource;
    resources.set(`${names.plural}.${hub.group}`, left.length);
    count += left.length;
    for (const entry of left) countFinalizers(entry, finalizers);
  }
  return { count, resources, finalizers };
}

async function deleteEntry(registry: ObjectRegistry, namespace: string, entry: CacheEntry): Promise<void> {
  const { name } = nameOfKey(registry.resource, entry.key);
  try {
    await deleteObject(registry, name, { gracePeriodSeconds: 0, propagationPolicy: 'Background' }, writeAs(registry, namespace));
  } catch (error) {
    if (!(error instanceof StatusError && error.code === 404)) throw error;
  }
}

function countFinalizers(entry: CacheEntry, counts: Map<string, number>): void {
  const finalizers = ((decodeObject(entry.value).metadata as JsonObject).finalizers ?? []) as string[];
  for (const finalizer of finalizers) counts.set(finalizer, (counts.get(finalizer) ?? 0) + 1);
}

/** Takes our finalizer off. Whether the namespace is gone, or waits for nothing of ours. */
async function release(name: string, namespaces: ObjectRegistry): Promise<boolean> {
  const withoutOurs = (existing: JsonObject | undefined): JsonObject => {
    const object = existing as JsonObject;
    const spec = { ...(object.spec as JsonObject) };
    const rest = ((spec.finalizers ?? []) as string[]).filter((finalizer) => finalizer !== 'kubernetes');
    if (rest.length > 0) spec.finalizers = rest;
    else delete spec.finalizers;
    return { ...object, spec };
  };
  try {
    const { outcome } = await namespaces.update(name, undefined, withoutOurs, writeAs(namespaces, '', 'finalize'));
    return outcome === 'removed';
  } catch (error) {
    if (error instanceof StatusError && error.code === 404) return true;
    throw error;
  }
}

async function report(
  name: string,
  object: JsonObject,
  remaining: Remaining,
  namespaces: ObjectRegistry,
  now: number,
): Promise<void> {
  const old = ((object.status as JsonObject | undefined)?.conditions ?? []) as JsonObject[];
  const conditions = terminationConditions(remaining, old, formatTime(now));
  if (deepEqual(conditions, old)) return;
  const withConditions = (existing: JsonObject | undefined): JsonObject => ({
    ...(existing as JsonObject),
    status: { ...((existing as JsonObject).status as JsonObject), conditions },
  });
  try {
    await namespaces.update(name, undefined, withConditions, writeAs(namespaces, '', 'status'));
  } catch (error) {
    if (!(error instanceof StatusError && error.code === 404)) throw error;
  }
}
