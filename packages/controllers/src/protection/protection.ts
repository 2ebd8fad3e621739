import { type CacheEntry, decodeObject, follow, nameOfKey, settleRaces, updateExisting, WorkQueue } from '@tsukube/apiserver';
import { type JsonObject, type KubeObject, metadataOf } from '@tsukube/machinery';
import { type ControllerContext, type RunningController, registryNamed, writeAs } from '../controller.ts';

export interface Protection {
  readonly plural: string;
  readonly finalizer: string;
  /** Whether an object that is being deleted is still in use. */
  readonly isUsed: (object: JsonObject) => boolean | Promise<boolean>;
}

export interface ProtectionController extends RunningController {
  /** Reconciles an object again if it is being deleted and was in use. */
  recheck(namespace: string, name: string): void;
}

const concurrency = 16;
const deletionTimestamp = Buffer.from('"deletionTimestamp"');

/** Adds a finalizer to all objects, and removes it once they are being deleted and not in use. */
export function protectionController(context: ControllerContext, protection: Protection): ProtectionController {
  const { finalizer, isUsed } = protection;
  const objects = registryNamed(context, protection.plural);
  const protectedMark = Buffer.from(`"${finalizer}"`);
  const waiting = new Set<string>();

  const reconcile = async (key: string): Promise<void> => {
    const entry = await objects.cache.get(key);
    const object = entry && decodeObject(entry.value);
    const action = object && actionOn(object, finalizer);
    if (!object || action === undefined) return void waiting.delete(key);
    // Added before `isUsed`, so that a change during the check is not missed.
    if (action === 'remove') waiting.add(key);
    if (action === 'remove' && (await isUsed(object))) return;
    await change(key, object);
    waiting.delete(key);
  };
  const change = async (key: string, object: KubeObject): Promise<void> => {
    const { namespace, name } = nameOfKey(objects.resource, key);
    const { uid } = object.metadata;
    await updateExisting(objects, name, uid, (existing) => changed(existing, finalizer), writeAs(objects, namespace));
  };

  const queue = new WorkQueue((key) => settleRaces(() => reconcile(key)), context.logger, concurrency);
  const concerns = ({ value }: CacheEntry) => value.includes(deletionTimestamp) || !value.includes(protectedMark);
  const unfollow = follow(objects.cache, (entry) => {
    if (concerns(entry)) queue.add(entry.key);
  });
  return {
    recheck(namespace, name) {
      const key = objects.key(namespace, name);
      if (waiting.has(key)) queue.add(key);
    },
    stop() {
      unfollow();
      queue.stop();
    },
  };
}

function finalizersOf(object: JsonObject): readonly string[] {
  return metadataOf(object).finalizers ?? [];
}

/** Objects stored before this controller ran have no finalizer yet. */
function actionOn(object: JsonObject, finalizer: string): 'add' | 'remove' | undefined {
  const deleted = metadataOf(object).deletionTimestamp !== undefined;
  const isProtected = finalizersOf(object).includes(finalizer);
  if (deleted) return isProtected ? 'remove' : undefined;
  return isProtected ? undefined : 'add';
}

function changed(object: JsonObject, finalizer: string): JsonObject {
  const action = actionOn(object, finalizer);
  if (action === undefined) return object;
  const others = finalizersOf(object).filter((name) => name !== finalizer);
  const { finalizers: _, ...metadata } = metadataOf(object);
  const finalizers = action === 'add' ? [...others, finalizer] : others;
  return { ...object, metadata: finalizers.length === 0 ? metadata : { ...metadata, finalizers } };
}
