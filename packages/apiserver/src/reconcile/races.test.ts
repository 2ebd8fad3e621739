import { type KubeObject, StatusError } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { sampleRegistry } from '../registry/sample-registry.ts';
import { decodeObject } from '../registry/stored-form.ts';
import { settleRaces, updateExisting } from './races.ts';

const resource = { group: '', resource: 'configmaps' };
const terminating = new StatusError({
  status: 'Failure',
  reason: 'Forbidden',
  code: 403,
  details: { causes: [{ reason: 'NamespaceTerminating' }] },
});

async function attemptsUntilSettled(...errors: readonly Error[]): Promise<number> {
  let attempts = 0;
  const failing = async () => {
    const error = errors[Math.min(attempts++, errors.length - 1)];
    if (error && attempts <= errors.length) throw error;
  };
  await settleRaces(failing, { attempts: 3, firstMs: 1, maxMs: 1, random: () => 0 });
  return attempts;
}

describe('settleRaces', () => {
  it.each([
    ['success', [], 1],
    ['a deleted object', [StatusError.notFound(resource, 'a')], 1],
    ['a namespace that is terminating', [terminating], 1],
    ['a conflict', [StatusError.conflict(resource, 'a', 'modified')], 2],
    ['an object that exists', [StatusError.alreadyExists(resource, 'a')], 2],
    ['conflicts beyond the limit', Array.from({ length: 9 }, () => StatusError.conflict(resource, 'a', 'modified')), 3],
  ])('%s', async (_, errors, attempts) => {
    expect(await attemptsUntilSettled(...errors)).toBe(attempts);
  });

  it.each([StatusError.forbidden(resource, 'a', 'no'), StatusError.internalError('broken'), new Error('bug')])(
    'passes %s on',
    async (error) => {
      await expect(attemptsUntilSettled(error)).rejects.toBe(error);
    },
  );
});

describe('updateExisting', () => {
  it('updates an object, and rejects with 404 if it is gone', async () => {
    const { registry, context, create } = await sampleRegistry();
    await create({ name: 'a' });
    const labelled = (existing: KubeObject) => ({ ...existing, metadata: { ...existing.metadata, labels: { a: 'b' } } });
    const { entry } = await updateExisting(registry, 'a', undefined, labelled, context);
    expect(decodeObject(entry.value).metadata.labels).toEqual({ a: 'b' });
    const creating = { ...context, strategy: { ...context.strategy, allowCreateOnUpdate: true } };
    await expect(updateExisting(registry, 'b', undefined, labelled, creating)).rejects.toMatchObject({ code: 404 });
  });
});
