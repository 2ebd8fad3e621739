import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '@tsukube/server';
import { expect, it } from 'vitest';
import { clientFor } from '../../support/client.ts';

const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const everything = { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] };
const webhook = {
  name: 'unreachable.example.com',
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  clientConfig: { url: 'https://127.0.0.1:1/' },
  rules: [everything],
};

it('the server starts and creates its own objects although a webhook rejects everything', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tsukube-start-'));
  const withServer = async (act: (client: ReturnType<typeof clientFor>) => Promise<void>) => {
    const server = await startServer({ storage: 'lmdb', dataDir, securePort: 0 });
    const client = clientFor(server.kubeconfig);
    await act(client).finally(() => client.close());
    await server.close();
  };
  const [flow, role] = [
    '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/catch-all',
    '/apis/rbac.authorization.k8s.io/v1/clusterroles/view',
  ];
  await withServer(async (client) => {
    for (const object of [flow, role]) expect((await client.send('DELETE', object)).status).toBe(200);
    await client.send('POST', path, { metadata: { name: 'all' }, webhooks: [webhook] });
    await expect
      .poll(async () => (await client.send('POST', '/api/v1/namespaces', { metadata: { generateName: 'x-' } })).status)
      .toBe(500);
  });
  await withServer(async (client) => {
    for (const object of [flow, role]) expect((await client.get(object)).status).toBe(200);
    expect((await client.get('/readyz')).text).toBe('ok');
    expect((await client.send('DELETE', `${path}/all`)).status).toBe(200);
  });
  rmSync(dataDir, { recursive: true });
});
