import { asServer, type CacheEntry, decodeObject, follow, type ObjectRegistry, settleRaces, WorkQueue } from '@tsukube/apiserver';
import { deepEqual, type JsonObject } from '@tsukube/machinery';
import type { Controller, ControllerContext } from '../controller.ts';

/** An object that the server keeps as it should be, whoever changes or deletes it. */
export interface KeptObject {
  readonly registry: ObjectRegistry;
  readonly namespace: string;
  readonly name: string;
  /** What it should be, given what is there. The same object if that is right. */
  readonly wanted: (existing: JsonObject | undefined) => JsonObject;
  /** Written as it is given, status included. */
  readonly complete?: boolean;
}

export interface Keeper extends Controller {
  /** Looks again, as something that is wanted has changed. */
  look(): void;
}

export function keepObject(kept: KeptObject, { logger }: ControllerContext): Keeper {
  const { registry, namespace, name } = kept;
  const key = registry.key(namespace, name);
  const queue = new WorkQueue(() => settleRaces(() => makeRight(kept)), logger);
  queue.add(key);
  const isOurs = (entry: CacheEntry) => entry.key === key;
  const unfollow = follow(registry.cache, (entry) => isOurs(entry) && queue.add(key));
  return {
    look: () => queue.add(key),
    stop() {
      unfollow();
      queue.stop();
    },
  };

  async function makeRight({ wanted }: KeptObject): Promise<void> {
    const entry = await registry.cache.get(key);
    const existing = entry && decodeObject(entry.value);
    const next = wanted(existing);
    if (existing && deepEqual(next, existing)) return;
    await write(kept, existing, next);
  }
}

async function write(kept: KeptObject, existing: JsonObject | undefined, next: JsonObject): Promise<void> {
  const { registry, namespace, name, wanted } = kept;
  const context = asServer(registry, namespace);
  const strategy = kept.complete
    ? { ...context.strategy, prepareForCreate: undefined, prepareForUpdate: undefined }
    : context.strategy;
  if (!existing) await registry.create(next, { ...context, strategy });
  else await registry.update(name, undefined, (found) => wanted(found), { ...context, strategy });
}
