import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '@tsukube/server';
import { afterAll, expect, it } from 'vitest';
import { type Client, clientFor } from '../support/client.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'tsukube-roles-'));
afterAll(() => rmSync(dataDir, { recursive: true }));

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const mergePatch = { 'content-type': 'application/merge-patch+json' };
const autoUpdate = 'rbac.authorization.kubernetes.io/autoupdate';

/** Starts a server on the same data, calls `work`, and closes it. */
async function withServer(work: (client: Client) => Promise<void>): Promise<void> {
  const server = await startServer({ dataDir, securePort: 0 });
  const client = clientFor(server.kubeconfig);
  try {
    await work(client);
  } finally {
    client.close();
    await server.close();
  }
}

it('startup recreates bootstrap roles and bindings, adds missing rules and subjects, and respects autoupdate=false', async () => {
  const own = { verbs: ['get'], apiGroups: ['x'], resources: ['y'] };
  let rules: unknown[] = [];
  await withServer(async (client) => {
    const role = (name: string) => `${rbac}/clusterroles/${name}`;
    rules = (await client.get(role('system:basic-user'))).body.rules;
    await client.send('PATCH', role('system:basic-user'), { rules: [own], metadata: { labels: { mine: 'yes' } } }, mergePatch);
    await client.send(
      'PATCH',
      role('system:kube-dns'),
      { rules: [], metadata: { annotations: { [autoUpdate]: 'false' } } },
      mergePatch,
    );
    await client.send('DELETE', `${rbac}/clusterrolebindings/system:monitoring`);
    await client.send('DELETE', `${rbac}/namespaces/kube-system/roles/system:controller:token-cleaner`);
  });
  await withServer(async (client) => {
    const { body } = await client.get(`${rbac}/clusterroles/system:basic-user`);
    expect(body.rules[0]).toEqual(own);
    expect(body.rules.slice(1).flatMap((rule: { resources: string[] }) => rule.resources)).toEqual(
      rules.flatMap((rule) => (rule as { resources: string[] }).resources),
    );
    expect(body.metadata.labels).toEqual({ 'kubernetes.io/bootstrapping': 'rbac-defaults', mine: 'yes' });
    expect((await client.get(`${rbac}/clusterroles/system:kube-dns`)).body.rules).toBeNull();
    expect((await client.get(`${rbac}/clusterrolebindings/system:monitoring`)).status).toBe(200);
    expect((await client.get(`${rbac}/namespaces/kube-system/roles/system:controller:token-cleaner`)).status).toBe(200);
    await client.send('PATCH', `${rbac}/clusterroles/system:basic-user`, { rules: [] }, mergePatch);
  });
  // No role is missing, so the roles are reconciled after the start.
  await withServer(async (client) => {
    const rulesNow = async () => (await client.get(`${rbac}/clusterroles/system:basic-user`)).body.rules?.length;
    await expect.poll(rulesNow, { timeout: 10_000 }).toBe(3);
  });
});

it('a server stays ready when cluster-admin is deleted', async () => {
  await withServer(async (client) => {
    expect((await client.get('/readyz')).status).toBe(200);
    expect((await client.send('DELETE', `${rbac}/clusterroles/cluster-admin`)).status).toBe(200);
    expect((await client.get('/readyz/poststarthook/rbac/bootstrap-roles')).status).toBe(200);
    expect((await client.get('/readyz')).status).toBe(200);
  });
});
