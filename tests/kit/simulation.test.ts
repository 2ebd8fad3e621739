import { startServer, type TestServer } from 'tsukube';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { useWorkplace } from '../kubectl/terminal.ts';
import { kubectls } from '../kubectl/versions.ts';
import type { Any } from '../support/client.ts';

const kubectl = kubectls.at(-1);

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

  describe.skipIf(!kubectl)('with kubectl', () => {
    const workplace = useWorkplace(kubectl as NonNullable<typeof kubectl>, () => server.kubeconfig);

    it('a Deployment is 3/3 ready within a second', { timeout: 60_000 }, async () => {
      await nodesAreReady();
      const { run } = workplace.terminal('default');
      const durations: number[] = [];
      for (const name of ['warm', 'one', 'two', 'three']) {
        expect(await run(`kubectl create deployment ${name} --image=nginx --replicas=3`)).toBe(
          `deployment.apps/${name} created\n`,
        );
        const begun = performance.now();
        await vi.waitFor(
          async () => expect((await get(`/apis/apps/v1/namespaces/default/deployments/${name}`)).status.readyReplicas).toBe(3),
          { timeout: 10_000, interval: 20 },
        );
        durations.push(performance.now() - begun);
        expect(await run(`kubectl get deployment ${name} --no-headers`)).toMatch(new RegExp(`^${name} +3/3 `));
      }
      expect(Math.min(...durations)).toBeLessThan(1000);
    });
  });
});
