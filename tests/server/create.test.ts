import { afterEach, describe, expect, it, vi } from 'vitest';
import { createDefinition, definition } from '../support/definitions.ts';
import { configMap, newNamespace, useServer } from '../support/server.ts';

const t = useServer();

describe('a create with a resourceVersion', () => {
  const versioned = (name: string, resourceVersion: string) => ({ metadata: { name, resourceVersion } });

  it('is refused, whether or not the name exists', async () => {
    const path = await newNamespace(t.client);
    await t.client.send('POST', path, configMap('taken'));
    for (const name of ['free', 'taken']) {
      const { status, body } = await t.client.send('POST', path, versioned(name, '5'));
      const message = 'resourceVersion should not be set on objects to be created';
      expect([status, body]).toEqual([
        500,
        { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 },
      ]);
    }
    expect((await t.client.get(`${path}/free`)).status).toBe(404);
  });

  it.each(['0', 'abc', ''])('%j is ignored', async (version) => {
    const path = await newNamespace(t.client);
    const { status, body } = await t.client.send('POST', path, versioned('free', version));
    expect([status, Number(body.metadata.resourceVersion) > 0]).toEqual([201, true]);
  });

  it('keeps it in a dry run', async () => {
    const path = await newNamespace(t.client);
    const { status, body } = await t.client.send('POST', `${path}?dryRun=All`, versioned('free', '5'));
    expect([status, body.metadata.resourceVersion]).toEqual([201, '5']);
  });
});

describe('a create with an existing name', () => {
  it.each(['', '?dryRun=All'])('reports that the object is being deleted%s', async (query) => {
    const path = await newNamespace(t.client);
    await t.client.send('POST', path, { metadata: { name: 'held', finalizers: ['example.com/hold'] } });
    await t.client.send('DELETE', `${path}/held`);
    const { status, body } = await t.client.send('POST', path + query, configMap('held'));
    expect([status, body.message]).toEqual([409, 'object is being deleted: configmaps "held" already exists']);
  });
});

describe('an update that creates', () => {
  const leases = (path: string) => path.replace('/api/v1', '/apis/coordination.k8s.io/v1').replace('configmaps', 'leases');

  it('is refused if it expects a uid', async () => {
    const path = leases(await newNamespace(t.client));
    const { status, body } = await t.client.send('PUT', `${path}/l`, { metadata: { name: 'l', uid: '5' } });
    expect([status, body.message]).toEqual([
      409,
      expect.stringMatching(/Precondition failed: UID in precondition: 5, UID in object meta: $/),
    ]);
  });

  it('ignores a resourceVersion', async () => {
    const path = leases(await newNamespace(t.client));
    const { status } = await t.client.send('PUT', `${path}/l`, { metadata: { name: 'l', resourceVersion: '5' } });
    expect(status).toBe(201);
  });

  it('updates an object that was created concurrently', async () => {
    const path = leases(await newNamespace(t.client));
    const apply = (i: number) =>
      t.client.send(
        'PATCH',
        `${path}/l?fieldManager=m${i}&force=true`,
        { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'l', labels: { [`l${i}`]: 'yes' } } },
        { 'content-type': 'application/apply-patch+yaml' },
      );
    const statuses = (await Promise.all(Array.from({ length: 8 }, (_, i) => apply(i)))).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
    expect(Object.keys((await t.client.get(`${path}/l`)).body.metadata.labels)).toHaveLength(8);
  });
});

describe('a generated name', () => {
  afterEach(() => vi.restoreAllMocks());

  it.each(['configmaps', 'widgets'])('of %s is generated again if it exists', async (kind) => {
    const configMaps = await newNamespace(t.client);
    const path = kind === 'configmaps' ? configMaps : await createDefinition(t.client, definition('widgets'));
    const object = { apiVersion: kind === 'widgets' ? 'example.com/v1' : 'v1', metadata: { generateName: 'x-' } };
    const body = kind === 'widgets' ? { ...object, kind: 'Widget' } : object;
    const random = Math.random;
    let calls = 0;
    // Each name has five random characters: the first four names are equal.
    vi.spyOn(Math, 'random').mockImplementation(() => (calls++ < 20 ? 0 : random()));
    const created = await Promise.all(Array.from({ length: 3 }, () => t.client.send('POST', path, body)));
    expect(created.map(({ status }) => status)).toEqual([201, 201, 201]);
  });
});
