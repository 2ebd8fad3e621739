import type { JsonObject } from '@tsukube/machinery';
import { Mismatch, RequestTooLarge } from '@tsukube/storage';
import { openMemory } from '@tsukube/storage/memory';
import { describe, expect, it } from 'vitest';
import { deleteObject } from './deletion.ts';
import type { Strategy } from './resource.ts';
import { sampleRegistry } from './sample-registry.ts';
import { decodeObject } from './stored-form.ts';

describe('an object above the size limit of the store', () => {
  const record = [{ manager: 'm', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} }];

  function limitedStore(bytes: number) {
    const store = openMemory();
    const { create, update } = { create: store.create.bind(store), update: store.update.bind(store) };
    store.create = async (key, value, options) => {
      if (value.length > bytes) throw new RequestTooLarge();
      return create(key, value, options);
    };
    store.update = async (key, value, expected, options) => {
      if (value.length > bytes) throw new RequestTooLarge();
      return update(key, value, expected, options);
    };
    return store;
  }

  it('is stored without managedFields', async () => {
    const { create, registry, context } = await sampleRegistry({ store: limitedStore(220) });
    expect(await create({ name: 'a', managedFields: record })).not.toHaveProperty('managedFields');
    const grow = (existing: JsonObject | undefined): JsonObject => ({
      ...existing,
      metadata: { ...(existing?.metadata as JsonObject), labels: { a: 'b' }, managedFields: record },
    });
    const { entry } = await registry.update('a', undefined, grow, context);
    const { labels, managedFields } = decodeObject(entry.value).metadata as JsonObject;
    expect([labels, managedFields]).toEqual([{ a: 'b' }, undefined]);
  });

  it('is rejected if it is too large without them', async () => {
    const { create } = await sampleRegistry({ store: limitedStore(100) });
    await expect(create({ name: 'a', managedFields: record })).rejects.toThrow(RequestTooLarge);
  });
});

describe('an update that removes the last finalizer', () => {
  it('succeeds if a concurrent request deleted the object', async () => {
    const { create, registry, context, store } = await sampleRegistry();
    await create({ name: 'a', finalizers: ['example.com/hold'] });
    await deleteObject(registry, 'a', {}, context);
    const remove = store.delete.bind(store);
    store.delete = async (key, expected) => {
      await remove(key, expected);
      throw new Mismatch(key, undefined);
    };
    const release = (existing: JsonObject | undefined): JsonObject => {
      const { finalizers: _, ...metadata } = (existing?.metadata ?? {}) as JsonObject;
      return { ...existing, metadata };
    };
    expect((await registry.update('a', undefined, release, context)).outcome).toBe('removed');
  });
});

describe('a shortened grace period', () => {
  const graceful: Strategy = {
    beginDelete: (_, { gracePeriodSeconds = 30 }) => ({ kind: 'graceful', seconds: gracePeriodSeconds }),
  };

  // Seconds after the start of the deletion, the requested period, and the resulting end and length.
  it.each([
    [5, 20, 20, 20],
    [5, 2, 5, 1],
    [5, 1, 5, 1],
  ])('after %i s to %i s ends at %i s and is %i s long', async (after, asked, end, length) => {
    let now = 0;
    const { create, registry, context } = await sampleRegistry({ strategy: graceful, services: { now: () => now } });
    await create({ name: 'a' });
    await deleteObject(registry, 'a', { gracePeriodSeconds: 30 }, context);
    now = after * 1000;
    const deleted = await deleteObject(registry, 'a', { gracePeriodSeconds: asked }, context);
    const { deletionTimestamp, deletionGracePeriodSeconds } = decodeObject(
      deleted.kind === 'pending' ? deleted.entry.value : Buffer.from('{"metadata":{}}'),
    ).metadata as JsonObject;
    expect([Date.parse(deletionTimestamp as string) / 1000, deletionGracePeriodSeconds]).toEqual([end, length]);
  });

  it('of zero removes the object', async () => {
    const { create, registry, context } = await sampleRegistry({ strategy: graceful });
    await create({ name: 'a' });
    await deleteObject(registry, 'a', { gracePeriodSeconds: 30 }, context);
    expect((await deleteObject(registry, 'a', { gracePeriodSeconds: 0 }, context)).kind).toBe('gone');
  });
});
