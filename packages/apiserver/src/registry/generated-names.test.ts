import type { JsonObject } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { sampleRegistry } from './sample-registry.ts';

/** A registry whose generator returns these suffixes in order. */
async function registryWith(suffixes: string[]) {
  const asked: string[] = [];
  const generateName = (prefix: string) => {
    asked.push(prefix);
    return prefix + suffixes.shift();
  };
  const { create } = await sampleRegistry({ services: { generateName } });
  return { create: async (metadata: JsonObject, dryRun?: boolean) => (await create(metadata, dryRun)).name, asked };
}

describe('generateName', () => {
  it('retries with another name if the name is taken', async () => {
    const { create } = await registryWith(['a', 'a', 'a', 'b']);
    expect(await create({ generateName: 'x-' })).toBe('x-a');
    expect(await create({ generateName: 'x-' })).toBe('x-b');
  });

  it.each([false, true])('tries eight names (dry run: %s)', async (dryRun) => {
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

  it('is ignored if there is a name', async () => {
    const { create, asked } = await registryWith(['a']);
    expect(await create({ generateName: 'x-', name: 'own' })).toBe('own');
    await expect(create({ generateName: 'x-', name: 'own' })).rejects.toThrow('was not able to generate a unique name');
    expect(asked).toEqual([]);
  });
});
