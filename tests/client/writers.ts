import { setTimeout as delay } from 'node:timers/promises';
import { type ApiObject, ConnectionError, isAlreadyExists, isApiError, isNotFound, type ResourceApi } from '@tsukube/client';

const objects = 200;
const parallel = 8;
const tickMs = 20;
/** Writes that an outage prevented are made up for, up to this many seconds of them. */
const maxDebtSeconds = 10;
const kindOf: Record<string, string> = { configmaps: 'ConfigMap', secrets: 'Secret', serviceaccounts: 'ServiceAccount' };

export interface WriteCounts {
  written: number;
  failed: number;
}

/** Creates, updates and deletes random objects at a rate, as far as the server can be reached. */
export async function write(
  api: ResourceApi<ApiObject>,
  perSecond: number,
  random: () => number,
  isOn: () => boolean,
  counts: WriteCounts,
): Promise<void> {
  const began = performance.now();
  let started = 0;
  const active = new Set<Promise<void>>();
  const existing = new Set<string>();
  while (isOn()) {
    const due = ((performance.now() - began) / 1000) * perSecond;
    started = Math.max(started, due - maxDebtSeconds * perSecond);
    for (; started < due && active.size < parallel; started++) {
      const one = writeOne(api, existing, random, counts).finally(() => active.delete(one));
      active.add(one);
    }
    await (active.size < parallel ? delay(tickMs) : Promise.race(active));
  }
  await Promise.all(active);
}

async function writeOne(
  api: ResourceApi<ApiObject>,
  existing: Set<string>,
  random: () => number,
  counts: WriteCounts,
): Promise<void> {
  const name = `object-${Math.floor(random() * objects)}`;
  const annotations = { at: String(performance.now()), text: 'x'.repeat(random() * 1000) };
  const exists = existing.has(name);
  const isDeletion = exists && random() < 0.2;
  try {
    if (!exists) await api.create(newObject(api, name), { timeoutMs: 3000 });
    else if (isDeletion) await api.delete(name, { timeoutMs: 3000 });
    else await api.patch(name, { type: 'merge', patch: { metadata: { annotations } } }, { timeoutMs: 3000 });
    if (isDeletion) existing.delete(name);
    else existing.add(name);
    counts.written++;
  } catch (error) {
    if (!isApiError(error) && !(error instanceof ConnectionError)) throw error;
    if (isNotFound(error)) existing.delete(name);
    if (isAlreadyExists(error)) existing.add(name);
    counts.failed++;
  }
}

function newObject({ resource }: ResourceApi<ApiObject>, name: string): ApiObject {
  return { apiVersion: 'v1', kind: kindOf[resource.plural] as string, metadata: { name } };
}
