import { describe, expect, it } from 'vitest';
import { configMap, newNamespace, useServer } from '../support/server.ts';

const t = useServer();
const merge = { 'content-type': 'application/merge-patch+json' };
const json = { 'content-type': 'application/json-patch+json' };
const strategic = { 'content-type': 'application/strategic-merge-patch+json' };

describe('create', () => {
  it('sets system metadata', async () => {
    const path = await newNamespace(t.client);
    const stated = {
      uid: 'mine',
      creationTimestamp: '2001-01-01T00:00:00Z',
      generation: 9,
      selfLink: '/x',
      deletionTimestamp: '2001-01-01T00:00:00Z',
    };
    const { status, body } = await t.client.send('POST', path, { ...configMap('a'), metadata: { name: 'a', ...stated } });
    expect(status).toBe(201);
    const { metadata } = body;
    expect(metadata.uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(Number(metadata.resourceVersion)).toBeGreaterThan(0);
    expect(Date.now() - Date.parse(metadata.creationTimestamp)).toBeLessThan(60_000);
    for (const field of ['generation', 'selfLink', 'deletionTimestamp']) expect(metadata).not.toHaveProperty(field);
  });

  it('generates a name from generateName', async () => {
    const path = await newNamespace(t.client);
    const { body } = await t.client.send('POST', path, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { generateName: 'gen-' },
    });
    expect(body.metadata.name).toMatch(/^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  it('removes duplicate owner references, with a warning', async () => {
    const path = await newNamespace(t.client);
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u' };
    const { body, headers } = await t.client.send('POST', path, {
      ...configMap('a'),
      metadata: { name: 'a', ownerReferences: [owner, owner] },
    });
    expect(body.metadata.ownerReferences).toEqual([owner]);
    expect(headers.warning).toContain('duplicate UID(s) observed: u');
  });

  it.each([
    [{ name: 'A' }, 422],
    [{ name: 'a/b' }, 422],
    [{ name: '..' }, 422],
    [{ name: 'x'.repeat(254) }, 422],
    [{ name: 'a', labels: { 'a b': 'c' } }, 422],
    [{ name: 'a', annotations: { big: 'x'.repeat(262_145) } }, 422],
    [{ name: 'a', finalizers: ['no slash!'] }, 422],
    [{ name: 'a', ownerReferences: [{ name: 'x' }] }, 422],
    [{ name: 'a', namespace: 'other' }, 400],
    [{ name: 5 }, 400],
    [{ name: 'a', labels: [] }, 400],
  ])('refuses %o with %d', async (metadata, status) => {
    const path = await newNamespace(t.client);
    const reply = await t.client.send('POST', path, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
    expect(reply.status).toBe(status);
    expect(reply.body).toMatchObject({ kind: 'Status', status: 'Failure', code: status });
  });

  it('stores nothing in a dry run', async () => {
    const path = await newNamespace(t.client);
    const { status, body } = await t.client.send('POST', `${path}?dryRun=All`, configMap('a'));
    expect([status, body.metadata.resourceVersion]).toEqual([201, undefined]);
    expect((await t.client.get(`${path}/a`)).status).toBe(404);
  });
});

describe('update', () => {
  it('writes nothing without a change', async () => {
    const path = await newNamespace(t.client);
    const first = (await t.client.send('POST', path, configMap('a', { x: '1', y: '2' }, { k: 'v' }))).body;
    const again = (await t.client.send('PUT', `${path}/a`, configMap('a', { y: '2', x: '1' }, { k: 'v' }))).body;
    expect(again).toEqual(first);
  });

  it('fails with a conflict for an outdated resourceVersion', async () => {
    const path = await newNamespace(t.client);
    const { resourceVersion } = (await t.client.send('POST', path, configMap('a'))).body.metadata;
    const put = (data: Record<string, string>) =>
      t.client.send('PUT', `${path}/a`, { ...configMap('a', {}, data), metadata: { name: 'a', resourceVersion } });
    expect((await put({ n: '1' })).status).toBe(200);
    expect((await put({ n: '2' })).body).toMatchObject({ code: 409, reason: 'Conflict' });
  });

  it('loses none of many concurrent patches', async () => {
    const path = await newNamespace(t.client);
    await t.client.send('POST', path, configMap('a'));
    const patches = Array.from({ length: 40 }, (_, i) =>
      t.client.send('PATCH', `${path}/a`, { data: { [`k${i}`]: 'v' } }, merge),
    );
    for (const { status } of await Promise.all(patches)) expect(status).toBe(200);
    expect(Object.keys((await t.client.get(`${path}/a`)).body.data)).toHaveLength(40);
  });

  it.each([
    [merge, { data: { a: null, c: '3' } }, { b: '2', c: '3' }],
    [
      json,
      [
        { op: 'remove', path: '/data/a' },
        { op: 'add', path: '/data/c', value: '3' },
      ],
      { b: '2', c: '3' },
    ],
    [strategic, { data: { $patch: 'replace', c: '3' } }, { c: '3' }],
  ])('patches with %o', async (headers, patch, data) => {
    const path = await newNamespace(t.client);
    await t.client.send('POST', path, configMap('a', {}, { a: '1', b: '2' }));
    expect((await t.client.send('PATCH', `${path}/a`, patch, headers)).body.data).toEqual(data);
  });
});

describe('delete', () => {
  it('waits for finalizers, and removes the object with the last', async () => {
    const path = await newNamespace(t.client);
    await t.client.send('POST', path, { ...configMap('a'), metadata: { name: 'a', finalizers: ['x.io/a', 'x.io/b'] } });
    const { body } = await t.client.send('DELETE', `${path}/a`);
    expect(body.metadata).toMatchObject({ deletionGracePeriodSeconds: 0, finalizers: ['x.io/a', 'x.io/b'] });
    expect((await t.client.send('PATCH', `${path}/a`, { metadata: { finalizers: ['x.io/c'] } }, merge)).status).toBe(422);
    await t.client.send('PATCH', `${path}/a`, { metadata: { finalizers: ['x.io/b'] } }, merge);
    expect((await t.client.get(`${path}/a`)).status).toBe(200);
    await t.client.send('PATCH', `${path}/a`, { metadata: { finalizers: null } }, merge);
    expect((await t.client.get(`${path}/a`)).status).toBe(404);
  });

  it('deletes a collection by selector', async () => {
    const path = await newNamespace(t.client);
    for (let i = 0; i < 10; i++) await t.client.send('POST', path, configMap(`c${i}`, { even: String(i % 2 === 0) }));
    const { status, body } = await t.client.send('DELETE', `${path}?labelSelector=even%3Dtrue`);
    expect([status, body.kind, body.items.length]).toEqual([200, 'ConfigMapList', 5]);
    expect((await t.client.get(`${path}?labelSelector=even`)).body.items).toHaveLength(5);
  });
});

describe('namespaces', () => {
  it('are deleted with their contents', async () => {
    const path = await newNamespace(t.client);
    const namespace = path.replace('/configmaps', '');
    await Promise.all(Array.from({ length: 50 }, (_, i) => t.client.send('POST', path, configMap(`c${i}`))));
    const { body } = await t.client.send('DELETE', namespace);
    expect(body.status.phase).toBe('Terminating');
    await expect.poll(async () => (await t.client.get(namespace)).status, { timeout: 10_000 }).toBe(404);
    expect((await t.client.get(path)).body.items).toEqual([]);
  });

  it('that are terminating accept no new objects', async () => {
    const path = await newNamespace(t.client);
    const namespace = path.replace('/configmaps', '');
    await t.client.send('POST', path, { ...configMap('held'), metadata: { name: 'held', finalizers: ['x.io/a'] } });
    await t.client.send('DELETE', namespace);
    expect((await t.client.send('POST', path, configMap('late'))).body).toMatchObject({ code: 403, reason: 'Forbidden' });
    await t.client.send('PATCH', `${path}/held`, { metadata: { finalizers: null } }, merge);
    await expect.poll(async () => (await t.client.get(namespace)).status, { timeout: 10_000 }).toBe(404);
  });
});
