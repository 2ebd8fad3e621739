import { asServer, type CacheEntry, decodeObject, follow, type ObjectRegistry, settleRaces, WorkQueue } from '@tsukube/apiserver';
import { deepEqual, type JsonObject } from '@tsukube/machinery';
import type { ControllerContext, RunningController } from '../controller.ts';

/** An object that the server creates, and restores when it is changed or deleted. */
export interface ManagedObject {
  readonly registry: ObjectRegistry;
  readonly namespace: string;
  readonly name: string;
  /** The desired state. Returns `existing` itself if nothing has to change. */
  readonly desired: (existing: JsonObject | undefined) => JsonObject;
  /** Called before each reconciliation, to read what the desired state depends on. */
  readonly refresh?: (() => Promise<void>) | undefined;
  /** Called after each reconciliation that succeeded. */
  readonly onSettled?: () => void;
  /** Writes the status as well: the strategy does not reset it. */
  readonly withStatus?: boolean;
}

export interface ObjectManager extends RunningController {
  /** Reconciles again because the desired state has changed. */
  resync(): void;
  /** Reconciles now, without retries. */
  settle(): Promise<void>;
}

export function manageObject(managed: ManagedObject, { logger }: ControllerContext): ObjectManager {
  const { registry, namespace, name } = managed;
  const key = registry.key(namespace, name);
  const settle = () => settleRaces(() => reconcile(managed));
  const queue = new WorkQueue(settle, logger);
  queue.add(key);
  const isOurs = (entry: CacheEntry) => entry.key === key;
  const unfollow = follow(registry.cache, (entry) => isOurs(entry) && queue.add(key));
  return {
    resync: () => queue.add(key),
    settle,
    stop() {
      unfollow();
      queue.stop();
    },
  };

  async function reconcile({ desired, refresh, onSettled }: ManagedObject): Promise<void> {
    await refresh?.();
    const entry = await registry.cache.get(key);
    const existing = entry && decodeObject(entry.value);
    const next = desired(existing);
    if (!existing || !deepEqual(next, existing)) await write(managed, existing, next);
    onSettled?.();
  }
}

async function write(managed: ManagedObject, existing: JsonObject | undefined, next: JsonObject): Promise<void> {
  const { registry, namespace, name, desired } = managed;
  const context = asServer(registry, namespace);
  const strategy = managed.withStatus
    ? { ...context.strategy, prepareForCreate: undefined, prepareForUpdate: undefined }
    : context.strategy;
  if (!existing) await registry.create(next, { ...context, strategy });
  else await registry.update(name, undefined, (found) => desired(found), { ...context, strategy });
}
