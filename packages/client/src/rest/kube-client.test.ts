import { describe, expect, it } from 'vitest';
import { newNamespace, useServer } from '../../../../tests/support/server.ts';
import { isAlreadyExists, isConflict, isInvalid, isNotFound } from './api-error.ts';
import { KubeClient } from './kube-client.ts';
import { parseResourceName } from './resource-name.ts';

const t = useServer();

describe.each([undefined, 'http/1.1' as const])('a client over %s', (protocol) => {
  const connect = (options = {}) =>
    KubeClient.load({ kubeconfig: t.server.kubeconfig, rateLimit: false, ...(protocol && { protocol }), ...options });
  const namespaceOf = async () => (await newNamespace(t.client)).split('/')[4] as string;

  it('reads and writes objects of built-in kinds', async () => {
    const client = await connect();
    const maps = client.resource('v1/configmaps', { namespace: await namespaceOf() });
    const made = await maps.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { key: '1' } });
    expect(made.metadata.resourceVersion).toMatch(/^\d+$/);
    const updated = await maps.update({ ...made, data: { key: '2' } });
    await expect(maps.update({ ...made, data: { key: '3' } })).rejects.toSatisfy(isConflict);
    await expect(maps.create(made)).rejects.toThrow('resourceVersion should not be set');
    await expect(maps.create({ ...made, metadata: { name: 'a' } })).rejects.toSatisfy(isAlreadyExists);
    await expect(maps.create({ ...made, metadata: { name: 'A' } })).rejects.toSatisfy(isInvalid);
    expect(await maps.get('a')).toEqual(updated);
    await maps.delete('a');
    await expect(maps.get('a')).rejects.toSatisfy(isNotFound);
    client.close();
  });

  it('patches and applies', async () => {
    const client = await connect();
    const maps = client.resource('v1/configmaps', { namespace: await namespaceOf() });
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
    await maps.apply({ ...object, data: { a: '1' } }, { fieldManager: 'one' });
    await expect(maps.apply({ ...object, data: { a: '2' } }, { fieldManager: 'two' })).rejects.toSatisfy(isConflict);
    await maps.apply({ ...object, data: { a: '2' } }, { fieldManager: 'two', force: true });
    await maps.patch('a', { type: 'merge', patch: { data: { b: '1' } } });
    await maps.patch('a', { type: 'json', patch: [{ op: 'add', path: '/data/c', value: '1' }] });
    const { data } = await maps.patch('a', { type: 'strategic', patch: { data: { b: null } } }, { dryRun: true });
    expect(data).toEqual({ a: '2', c: '1' });
    expect((await maps.get('a')).data).toEqual({ a: '2', b: '1', c: '1' });
    client.close();
  });

  it('lists in pages, with the types of items', async () => {
    const client = await connect();
    const maps = client.resource('v1/configmaps', { namespace: await namespaceOf() });
    const labels = { app: 'x' };
    for (let i = 0; i < 7; i++) await maps.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `m${i}`, labels } });
    const pages: number[] = [];
    for await (const page of maps.pages({ limit: 3, labelSelector: labels })) pages.push(page.items.length);
    expect(pages).toEqual([3, 3, 1]);
    const { items } = await maps.listAll({ limit: 2, labelSelector: 'app=x' });
    expect(items.map(({ kind, apiVersion, metadata }) => [apiVersion, kind, metadata.name])).toEqual(
      Array.from({ length: 7 }, (_, i) => ['v1', 'ConfigMap', `m${i}`]),
    );
    await maps.deleteCollection({ labelSelector: labels });
    expect((await maps.list({ labelSelector: labels })).items).toEqual([]);
    client.close();
  });

  it('uses subresources', async () => {
    const client = await connect();
    const namespace = await namespaceOf();
    const deployments = client.resource('apps/v1/deployments', { namespace });
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    await deployments.create({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: { replicas: 1, selector: { matchLabels: { a: 'b' } }, template },
    });
    const scale = await deployments.subresource('web', 'scale').get();
    expect(scale.spec?.replicas).toBe(1);
    await deployments.subresource('web', 'scale').patch({ type: 'merge', patch: { spec: { replicas: 4 } } });
    const web = await deployments.get('web');
    expect(web.spec.replicas).toBe(4);
    expect((await deployments.updateStatus({ ...web, status: { replicas: 2 } })).status?.replicas).toBe(2);
    const accounts = client.resource('v1/serviceaccounts', { namespace });
    await accounts.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } });
    const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: {}, spec: { audiences: [] } };
    const { status } = await accounts.subresource('robot', 'token').create(request);
    expect(status?.token).toMatch(/^ey/);
    client.close();
  });

  it('watches', async () => {
    const client = await connect();
    const maps = client.resource('v1/configmaps', { namespace: await namespaceOf() });
    const { metadata } = await maps.list();
    await maps.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
    const end = new AbortController();
    for await (const event of maps.watch({ resourceVersion: metadata.resourceVersion as string, signal: end.signal })) {
      expect(event).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'a' } } });
      break;
    }
    const failed = (async () => {
      for await (const _ of maps.watch({ signal: end.signal, fieldSelector: 'metadata.name=none' }));
    })();
    end.abort(new Error('enough'));
    await expect(failed).rejects.toThrow('enough');
    client.close();
  });

  it('reports warnings and impersonates', async () => {
    const warnings: string[] = [];
    const client = await connect({ onWarning: (text: string) => warnings.push(text) });
    const namespace = await namespaceOf();
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, unknown: 1 };
    await client.resource('v1/configmaps', { namespace }).create(object);
    expect(warnings).toEqual(['unknown field "unknown"']);
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} };
    const eve = client.as({ user: 'eve', groups: ['g1', 'g2'], extra: { 'example.com/Scope': ['x'] } });
    const { status } = await eve.json<{ status: { userInfo: object } }>({
      method: 'POST',
      path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      body: review,
    });
    expect(status.userInfo).toEqual({
      username: 'eve',
      groups: ['g1', 'g2', 'system:authenticated'],
      extra: { 'example.com/scope': ['x'] },
    });
    client.close();
  });

  it('finds resources by discovery', async () => {
    const client = await connect();
    const api = await client.resourceFor({ apiVersion: 'apps/v1', kind: 'Deployment' });
    expect([api.resource.plural, api.scope.namespace]).toEqual(['deployments', 'default']);
    await expect(client.resourceFor({ apiVersion: 'apps/v9', kind: 'Deployment' })).rejects.toThrow('no resource for apps/v9');
    const names = (await client.discover()).map(({ group, plural }) => `${group}/${plural}`);
    expect(names).toEqual(expect.arrayContaining(['/pods', 'apps/deployments', 'rbac.authorization.k8s.io/roles']));
    client.close();
  });

  it('is cancelled by a signal and by a timeout', async () => {
    const client = await connect();
    const aborted = AbortSignal.abort(new Error('never mind'));
    await expect(client.text({ method: 'GET', path: '/version', signal: aborted })).rejects.toThrow('never mind');
    client.close();
    await expect(client.text({ method: 'GET', path: '/version', timeoutMs: 500 })).rejects.toThrow('closed');
  });
});

describe('names of resources', () => {
  it.each([
    ['v1/pods', { group: '', version: 'v1', plural: 'pods' }],
    ['apps/v1/deployments', { group: 'apps', version: 'v1', plural: 'deployments' }],
  ])('%s', (text, name) => expect(parseResourceName(text)).toEqual(name));

  it.each(['pods', 'a/b/c/d', '/v1/pods', 'v1/'])('%s is refused', (text) => {
    expect(() => parseResourceName(text)).toThrow(/not the name of a resource/);
  });

  it('an empty name never addresses the collection', async () => {
    const client = await KubeClient.load({ kubeconfig: t.server.kubeconfig });
    expect(() => client.resource('v1/pods', { namespace: 'default' }).delete('')).toThrow(TypeError);
    await expect(client.resource('v1/pods', { namespace: '' }).list()).rejects.toThrow(TypeError);
    client.close();
  });
});
