import { expect, it, vi } from 'vitest';
import { newNamespace, useServer } from '../../support/server.ts';

const off = ['garbage-collector-controller', 'root-ca-certificate-publisher-controller', 'clusterrole-aggregation-controller'];
const t = useServer({ controllers: ['*', ...off.map((name) => `-${name}`)] });
const polling = { timeout: 10_000, interval: 20 };
const becomes = (path: string, status: number) =>
  vi.waitFor(async () => expect((await t.client.get(path)).status).toBe(status), polling);

it('controllers that are switched off leave their work to others, and the rest runs', async () => {
  const maps = await newNamespace(t.client);
  const namespace = maps.replace(/\/configmaps$/, '');
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: 'gone' }];
  await t.client.send('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'child', ownerReferences } });
  const rbac = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
  const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } }] };
  await t.client.send('POST', rbac, { metadata: { name: 'sum' }, aggregationRule, rules: [] });
  // The work of other controllers on the same objects shows that enough time has passed.
  await becomes(`${namespace}/serviceaccounts/default`, 200);
  await t.client.send('DELETE', namespace);
  await becomes(namespace, 404);
  expect((await t.client.get('/api/v1/namespaces/default/configmaps/child')).status).toBe(200);
  expect((await t.client.get('/api/v1/namespaces/default/configmaps/kube-root-ca.crt')).status).toBe(404);
  expect((await t.client.get(`${rbac}/sum`)).body.rules).toBeNull();
});
