import { startServer, type TestServer } from 'tsukube';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Any } from '../support/client.ts';

describe('a simulated cluster in a test', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ simulateNodes: 3, controllers: ['*', 'workloads'] });
  });
  afterAll(() => server.close());

  const get = async (path: string) => (await (await server.fetch(path)).json()) as Any;
  const nodesAreReady = () =>
    vi.waitFor(async () => {
      const { items } = await get('/api/v1/nodes');
      const ready = items.filter(({ spec }: { spec: { taints?: unknown } }) => spec.taints === undefined);
      expect(ready).toHaveLength(3);
    }, 10_000);

  it('runs a Deployment, and keeps its nodes when it is reset', async () => {
    await nodesAreReady();
    const labels = { app: 'web' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'nginx' }] } };
    const spec = { replicas: 3, selector: { matchLabels: labels }, template };
    const metadata = { name: 'web', namespace: 'default' };
    await server.apply({ apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec });
    await vi.waitFor(async () => {
      expect((await get('/apis/apps/v1/namespaces/default/deployments/web')).status.readyReplicas).toBe(3);
    }, 10_000);
    await server.fetch('/api/v1/nodes/node-1', { method: 'DELETE' });
    await server.reset();
    expect((await get('/api/v1/namespaces/default/pods')).items).toEqual([]);
    await nodesAreReady();
  });
});
