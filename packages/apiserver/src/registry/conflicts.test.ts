import { type JsonObject, StatusError } from '@tsukube/machinery';
import { Mismatch, type Store } from '@tsukube/storage';
import { openMemory } from '@tsukube/storage/memory';
import { describe, expect, it } from 'vitest';
import { deleteObject } from './deletion.ts';
import { sampleRegistry } from './sample-registry.ts';

/** A store whose first updates and deletes lose the compare-and-swap. */
function contendedStore(conflicts: number): { store: Store; attempts: () => number } {
  const store = openMemory();
  const [update, remove] = [store.update.bind(store), store.delete.bind(store)];
  let attempts = 0;
  const contend = async (key: string) => {
    if (attempts++ < conflicts) throw new Mismatch(key, await store.get(key));
  };
  store.update = async (...args) => {
    await contend(args[0]);
    return update(...args);
  };
  store.delete = async (...args) => {
    await contend(args[0]);
    return remove(...args);
  };
  return { store, attempts: () => attempts };
}

async function contended(conflicts: number) {
  const { store, attempts } = contendedStore(conflicts);
  const sample = await sampleRegistry({ store, services: { random: () => 0 } });
  await sample.create({ name: 'a' });
  const relabel = (existing: JsonObject | undefined) => ({ ...existing, data: { attempts: String(attempts()) } }) as JsonObject;
  return {
    attempts,
    update: () => sample.registry.update('a', undefined, relabel, sample.context),
    remove: () => deleteObject(sample.registry, 'a', {}, sample.context),
  };
}

describe.each(['update', 'remove'] as const)('conflicts of %s', (operation) => {
  it('are retried', async () => {
    const write = await contended(20);
    await write[operation]();
    expect(write.attempts()).toBe(21);
  });

  it('end with 409 after a limit', async () => {
    const write = await contended(Number.POSITIVE_INFINITY);
    const error = await write[operation]().then(undefined, (reason: unknown) => reason);
    expect(error).toBeInstanceOf(StatusError);
    expect((error as StatusError).code).toBe(409);
    expect(write.attempts()).toBe(250);
  });
});
