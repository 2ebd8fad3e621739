import { startServer } from '@tsukube/server';
import type { Store } from '@tsukube/storage';
import { openMemory } from '@tsukube/storage/memory';
import { describe, expect, it, vi } from 'vitest';
import { clientFor } from '../../support/client.ts';
import { useServer } from '../../support/server.ts';

const polling = { timeout: 10_000, interval: 50 };

describe('events', () => {
  const t = useServer({ eventTtl: 1000 });
  const path = '/api/v1/namespaces/default/events';
  const event = (name: string) => ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace: 'default' },
    involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
  });

  it('expire after --event-ttl, with a watch event', async () => {
    const { body } = await t.client.send('POST', path, event('old'));
    await vi.waitFor(async () => expect((await t.client.get(`${path}/old`)).status).toBe(404), polling);
    const watch = `${path}?watch=true&timeoutSeconds=1&resourceVersion=${body.metadata.resourceVersion}`;
    expect((await t.client.get(watch)).text).toContain('"type":"DELETED"');
  });

  it('expire later if they are updated', async () => {
    await t.client.send('POST', path, event('kept'));
    const begun = Date.now();
    const merge = { 'content-type': 'application/merge-patch+json' };
    for (let count = 1; Date.now() < begun + 1500; count++) {
      expect((await t.client.send('PATCH', `${path}/kept`, { count }, merge)).status).toBe(200);
    }
  });
});

describe('identity Leases of other servers', () => {
  const prefix = '/registry/leases/kube-system/';
  const now = Date.now();
  const hoursAgo = (hours: number) => new Date(now - hours * 3_600_000).toISOString().replace('Z', '000Z');

  /** Leases that servers have left in a store. */
  async function storeWithLeases(): Promise<Store> {
    const store = openMemory();
    const put = (name: string, spec: object, labels: object = { 'apiserver.kubernetes.io/identity': 'kube-apiserver' }) => {
      const metadata = { name, namespace: 'kube-system', uid: name, creationTimestamp: '2026-01-01T00:00:00Z', labels };
      const lease = { kind: 'Lease', apiVersion: 'coordination.k8s.io/v1', metadata, spec };
      return store.create(`${prefix}${name}`, Buffer.from(JSON.stringify(lease)));
    };
    await put('expired', { leaseDurationSeconds: 3600, renewTime: hoursAgo(2) });
    await put('without-time', { leaseDurationSeconds: 3600 });
    await put('valid', { leaseDurationSeconds: 3600, renewTime: hoursAgo(0.5) });
    await put('of-a-controller', { leaseDurationSeconds: 15, renewTime: hoursAgo(2) }, {});
    return store;
  }

  it('are deleted after they have expired', async () => {
    const server = await startServer({ openStore: storeWithLeases, securePort: 0 });
    const client = clientFor(server.kubeconfig);
    const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
    try {
      await vi.waitFor(async () => {
        const { body } = await client.get(leases);
        const names = body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
        expect(names.filter((name: string) => !name.startsWith('apiserver-'))).toEqual(['of-a-controller', 'valid']);
      }, polling);
    } finally {
      client.close();
      await server.close();
    }
  });
});
