import { describe, expect, it } from 'vitest';
import type { Any } from '../../support/client.ts';
import { configMap, useServer } from '../../support/server.ts';

const under = useServer({ controllers: [] });
const merge = { 'content-type': 'application/merge-patch+json' };

/** Long enough for a controller to act: events come from the same process. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 500));

async function created(path: string, object: Any): Promise<Any> {
  const { status, body } = await under.client.send('POST', path, object);
  expect(status).toBe(201);
  return body;
}

const inNamespace = (name: string, plural: string) => `/api/v1/namespaces/${name}/${plural}`;
const newNamespace = (name: string) => created('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

describe('without controllers, like kube-apiserver', () => {
  it('has the objects that kube-apiserver creates itself', async () => {
    const names = async (path: string) =>
      (await under.client.get(path)).body.items.map(({ metadata }: Any) => metadata.name).sort();
    await expect.poll(() => names(inNamespace('default', 'services')), { timeout: 10_000 }).toEqual(['kubernetes']);
    await expect
      .poll(() => names(inNamespace('kube-system', 'configmaps')), { timeout: 10_000 })
      .toEqual(['extension-apiserver-authentication', 'kube-apiserver-legacy-service-account-token-tracking']);
    expect(await names('/api/v1/namespaces')).toEqual(['default', 'kube-node-lease', 'kube-public', 'kube-system']);
    expect(await names('/api/v1/serviceaccounts')).toEqual([]);
    expect(await names('/apis/scheduling.k8s.io/v1/priorityclasses')).toHaveLength(2);
    expect(await names('/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas')).toContain('catch-all');
    expect(await names('/apis/apiregistration.k8s.io/v1/apiservices')).toContain('v1.apps');
  });

  it('owns the labels of the namespaces that it creates', async () => {
    const { items } = (await under.client.get('/api/v1/namespaces')).body;
    const owned = { 'f:metadata': { 'f:labels': { '.': {}, 'f:kubernetes.io/metadata.name': {} } } };
    const default_ = items.find(({ metadata }: Any) => metadata.name === 'default');
    expect(default_.metadata.managedFields).toMatchObject([
      { manager: 'kube-apiserver', operation: 'Update', apiVersion: 'v1', fieldsV1: owned },
    ]);
  });

  it('creates no ServiceAccount and no root CA ConfigMap, so that pods are refused', async () => {
    await newNamespace('empty');
    await settle();
    expect((await under.client.get(inNamespace('empty', 'serviceaccounts'))).body.items).toEqual([]);
    expect((await under.client.get(inNamespace('empty', 'configmaps'))).body.items).toEqual([]);
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    expect((await under.client.send('POST', inNamespace('empty', 'pods'), pod)).body.message).toBe(
      'pods "p" is forbidden: error looking up service account empty/default: serviceaccount "default" not found',
    );
  });

  it('sets finalizers for garbage collection, but deletes no dependents', async () => {
    await newNamespace('garbage');
    const path = inNamespace('garbage', 'configmaps');
    const { metadata } = await created(path, configMap('owner'));
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: metadata.uid }];
    await created(path, { ...configMap('dependent'), metadata: { name: 'dependent', ownerReferences } });
    await created(path, configMap('foreground'));
    await under.client.send('DELETE', `${path}/owner`);
    await under.client.send('DELETE', `${path}/foreground?propagationPolicy=Foreground`);
    await settle();
    expect((await under.client.get(`${path}/owner`)).status).toBe(404);
    expect((await under.client.get(`${path}/dependent`)).status).toBe(200);
    expect((await under.client.get(`${path}/foreground`)).body.metadata.finalizers).toEqual(['foregroundDeletion']);
  });

  it('does not fill aggregated ClusterRoles', async () => {
    const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
    for (const name of ['admin', 'edit', 'view'])
      expect((await under.client.get(`${roles}/${name}`)).body).toMatchObject({ rules: null });
    expect((await under.client.get(`${roles}/cluster-admin`)).body.rules).toHaveLength(2);
    const clusterRoleSelectors = [{ matchLabels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' } }];
    await created(roles, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'aggregated' },
      aggregationRule: { clusterRoleSelectors },
      rules: [],
    });
    await settle();
    expect((await under.client.get(`${roles}/aggregated`)).body.rules).toBeNull();
  });

  it('keeps a namespace Terminating until its finalizers are removed', async () => {
    await newNamespace('going');
    const path = inNamespace('going', 'configmaps');
    await created(path, configMap('left'));
    const deleted = await under.client.send('DELETE', '/api/v1/namespaces/going');
    expect(deleted.body).toMatchObject({ spec: { finalizers: ['kubernetes'] }, status: { phase: 'Terminating' } });
    await settle();
    expect((await under.client.get('/api/v1/namespaces/going')).body.status).toEqual({ phase: 'Terminating' });
    expect((await under.client.get(`${path}/left`)).status).toBe(200);
    const finalized = { ...deleted.body, spec: {} };
    expect((await under.client.send('PUT', '/api/v1/namespaces/going/finalize', finalized)).status).toBe(200);
    expect((await under.client.get('/api/v1/namespaces/going')).status).toBe(404);
    expect((await under.client.get(`${path}/left`)).status).toBe(200);
  });

  it('refuses updates and allows deletes of objects whose namespace does not exist', async () => {
    const left = inNamespace('going', 'configmaps/left');
    const patched = await under.client.send('PATCH', left, { data: { a: 'b' } }, merge);
    expect(patched.body).toMatchObject({ code: 404, message: 'namespaces "going" not found' });
    expect((await under.client.send('DELETE', left)).status).toBe(200);
  });
});
