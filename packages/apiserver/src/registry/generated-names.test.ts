import type { JsonObject } from '@tsukube/machinery';
import { openMemory } from '@tsukube/storage/memory';
import { describe, expect, it } from 'vitest';
import { admissionChain } from '../admission/admission.ts';
import { sampleResource } from '../discovery/sample-resources.ts';
import { openFeed } from '../watchcache/feed.ts';
import { WatchCache } from '../watchcache/watch-cache.ts';
import { presentAs } from './foreign-form.ts';
import { ObjectRegistry } from './object-registry.ts';
import { asServer } from './server-write.ts';
import { decodeObject } from './stored-form.ts';

/** A registry whose generator gives these suffixes, one after the other. */
async function registryWith(suffixes: string[]) {
  const resource = sampleResource(
    { kind: 'ConfigMap', type: 'io.k8s.api.core.v1.ConfigMap' },
    { storagePrefix: '/registry/maps' },
  );
  const store = openMemory();
  const cache = new WatchCache(store, await openFeed(store, '', () => {}), {
    prefix: '/registry/maps/',
    present: presentAs(resource),
  });
  const asked: string[] = [];
  const registry = new ObjectRegistry(resource, cache, {
    admission: admissionChain([]),
    now: () => 0,
    generateName: (prefix) => {
      asked.push(prefix);
      return prefix + suffixes.shift();
    },
  });
  const create = async (metadata: JsonObject, dryRun = false) => {
    const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata };
    const { entry } = await registry.create(object, { ...asServer(registry, 'default'), dryRun });
    return (decodeObject(entry.value).metadata as JsonObject).name;
  };
  return { create, asked };
}

describe('a generated name', () => {
  it('that is taken is replaced by another one', async () => {
    const { create } = await registryWith(['a', 'a', 'a', 'b']);
    expect(await create({ generateName: 'x-' })).toBe('x-a');
    expect(await create({ generateName: 'x-' })).toBe('x-b');
  });

  it.each([false, true])('is tried eight times (dry run: %s)', async (dryRun) => {
    const { create, asked } = await registryWith(Array.from({ length: 20 }, () => 'a'));
    await create({ generateName: 'x-' });
    const { status } = (await create({ generateName: 'x-' }, dryRun).catch((error) => error)) as { status: JsonObject };
    expect(status).toEqual({
      status: 'Failure',
      message: 'configmaps "x-a" already exists, the server was not able to generate a unique name for the object',
      reason: 'AlreadyExists',
      details: { name: 'x-a', group: '', kind: 'configmaps', retryAfterSeconds: 1 },
      code: 409,
    });
    expect(asked).toHaveLength(1 + 8);
  });

  it('is not asked for where there is a name', async () => {
    const { create, asked } = await registryWith(['a']);
    expect(await create({ generateName: 'x-', name: 'own' })).toBe('own');
    await expect(create({ generateName: 'x-', name: 'own' })).rejects.toThrow('was not able to generate a unique name');
    expect(asked).toEqual([]);
  });
});
