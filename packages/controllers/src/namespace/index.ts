import {
  type CacheEntry,
  decodeObject,
  follow,
  nameOfKey,
  type ObjectRegistry,
  updateExisting,
  WorkQueue,
} from '@tsukube/apiserver';
import { formatTime, type JsonObject, type KubeObject, objectIn, textIn, textsIn } from '@tsukube/machinery';
import {
  type ControllerContext,
  ignoreNotFound,
  isShared,
  type RunningController,
  registryNamed,
  writeAs,
} from '../controller.ts';
import { withConditions } from './conditions.ts';
import { deleteContents, type NamespaceDeletion } from './contents.ts';

const finalizer = 'kubernetes';
/** Other servers may have admitted writes into the namespace before they saw its deletion. */
const settleMs = 5000;

/** Deletes the contents of terminating namespaces, then removes the finalizer `kubernetes`. */
export function namespaceController(context: ControllerContext): RunningController {
  const namespaces = registryNamed(context, 'namespaces');
  const terminating = new Set<string>();
  const queue = new WorkQueue((name) => reconcile(name), context.logger);

  const reconcile = async (name: string): Promise<void> => {
    const entry = await namespaces.cache.get(namespaces.key('', name));
    const namespace = entry && decodeObject(entry.value);
    if (!namespace || !isTerminating(namespace)) return void terminating.delete(name);
    terminating.add(name);
    if (textIn(objectIn(namespace, 'status'), 'phase') !== 'Terminating') await setTerminating(namespaces, name);
    const deletedAt = Date.parse(namespace.metadata.deletionTimestamp ?? '');
    const result = await deleteContents(name, deletedAt, context);
    await updateConditions(namespaces, namespace, result, context.now());
    const failures = [...result.staleVersions, ...result.failures];
    if (failures.length > 0) throw new Error(failures.join(', '));
    if (result.estimate > 0) return queue.addAfter(name, (Math.floor(result.estimate / 2) + 1) * 1000);
    const settles = isShared(context) ? deletedAt + settleMs - context.now() : 0;
    if (settles > 0) return queue.addAfter(name, Math.min(settles, settleMs));
    await finalize(namespaces, name);
  };

  const stops = [
    follow(namespaces.cache, (entry) => {
      const { name } = nameOfKey(namespaces.resource, entry.key);
      if (terminating.has(name) || mayBeTerminating(entry)) queue.add(name);
    }),
    // The last object that delayed the deletion may be gone.
    context.feed.listen({
      prefix: context.storePrefix,
      onChanges(changes) {
        if (terminating.size === 0) return;
        for (const { type, entry } of changes) {
          if (type === 'put') continue;
          const name = namespaceOfKey(entry.key);
          if (terminating.has(name)) queue.add(name);
        }
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

function mayBeTerminating({ value }: CacheEntry): boolean {
  return value.includes('"deletionTimestamp"');
}

/** Whether the namespace is being deleted and has finalizers in its spec. */
function isTerminating({ metadata, ...namespace }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined && textsIn(objectIn(namespace, 'spec'), 'finalizers').length > 0;
}

/** The keys of namespaced objects end with NAMESPACE/NAME. */
function namespaceOfKey(key: string): string {
  const end = key.lastIndexOf('/');
  return key.slice(key.lastIndexOf('/', end - 1) + 1, end);
}

/** Objects stored by other servers may lack the phase. */
async function setTerminating(namespaces: ObjectRegistry, name: string): Promise<void> {
  const change = (existing: KubeObject): JsonObject => ({
    ...existing,
    status: { ...objectIn(existing, 'status'), phase: 'Terminating' },
  });
  await ignoreNotFound(updateExisting(namespaces, name, undefined, change, writeAs(namespaces, '', 'status')));
}

async function updateConditions(
  namespaces: ObjectRegistry,
  namespace: KubeObject,
  result: NamespaceDeletion,
  now: number,
): Promise<void> {
  const time = formatTime(now);
  const statusOf = (object: KubeObject) => objectIn(object, 'status') ?? {};
  if (withConditions(statusOf(namespace), result, time) === statusOf(namespace)) return;
  const change = (existing: KubeObject): JsonObject => ({
    ...existing,
    status: withConditions(statusOf(existing), result, time),
  });
  const { name = '', uid } = namespace.metadata;
  await ignoreNotFound(updateExisting(namespaces, name, uid, change, writeAs(namespaces, '', 'status')));
}

/** Removes the finalizer, and with the last one the namespace. */
async function finalize(namespaces: ObjectRegistry, name: string): Promise<void> {
  const withoutFinalizer = (existing: KubeObject): JsonObject => {
    const { finalizers: _, ...spec } = objectIn(existing, 'spec') ?? {};
    const rest = textsIn(objectIn(existing, 'spec'), 'finalizers').filter((other) => other !== finalizer);
    return { ...existing, spec: rest.length > 0 ? { ...spec, finalizers: [...new Set(rest)].sort() } : spec };
  };
  await ignoreNotFound(updateExisting(namespaces, name, undefined, withoutFinalizer, writeAs(namespaces, '', 'finalize')));
}
