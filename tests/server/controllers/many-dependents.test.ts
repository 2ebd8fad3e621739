import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type RunningServer, startServer } from '@tsukube/server';
import type { Store } from '@tsukube/storage';
import { openMemory } from '@tsukube/storage/memory';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { holdOf } from '../../hostile/event-loop.ts';
import { type Client, clientFor } from '../../support/client.ts';
import { isLong } from '../../support/progress.ts';

/** Of each owner. TSUKUBE_LONG: as many as one server is built for. */
const dependents = isLong ? 100_000 : 10_000;
const mebibyte = 1 << 20;
/** Memory for queues, writes in flight, the history of the store, and garbage, in addition to the objects. */
const allowance = 250 * mebibyte;
const polling = { timeout: 240_000, interval: 100 };
const namespaces = ['background', 'orphan', 'collection', 'terminating'];

setFlagsFromString('--expose-gc');
const collectHeap = runInNewContext('gc') as () => void;

function memory(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** A store with an owner and its dependents in each namespace, as written by a server before. */
async function filledStore(): Promise<Store> {
  const store = openMemory();
  let count = 0;
  const put = async (key: string, kind: string, metadata: object, more: object = {}) => {
    const uid = `00000000-0000-4000-8000-${String(count++).padStart(12, '0')}`;
    const object = { kind, apiVersion: 'v1', metadata: { ...metadata, uid, creationTimestamp: '2026-01-01T00:00:00Z' }, ...more };
    await store.create(`/registry/${key}`, Buffer.from(JSON.stringify(object)));
    return uid;
  };
  for (const namespace of namespaces) {
    const active = { spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } };
    await put(`namespaces/${namespace}`, 'Namespace', { name: namespace }, active);
    const keyOf = (name: string) => `configmaps/${namespace}/${name}`;
    const uid = await put(keyOf('owner'), 'ConfigMap', { name: 'owner', namespace });
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
    const labels = { dependent: 'true' };
    for (let i = 0; i < dependents; i++)
      await put(keyOf(`d${i}`), 'ConfigMap', { name: `d${i}`, namespace, labels, ownerReferences });
  }
  return store;
}

let server: RunningServer;
let client: Client;
beforeAll(async () => {
  server = await startServer({ openStore: filledStore, securePort: 0 });
  client = clientFor(server.kubeconfig);
}, 240_000);
afterAll(async () => {
  client.close();
  await server.close();
});

const pathOf = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`;
const first = async (namespace: string) =>
  (await client.get(`${pathOf(namespace)}?labelSelector=dependent&limit=1`)).body.items[0];
const isDone = {
  gone: async (namespace: string) => (await first(namespace)) === undefined,
  released: async (namespace: string) => (await client.get(`${pathOf(namespace)}/owner`)).status === 404,
};

describe(`${dependents} dependents`, () => {
  it.each([
    ['background', '/owner', isDone.gone],
    ['orphan', '/owner?propagationPolicy=Orphan', isDone.released],
    ['collection', '?labelSelector=dependent', isDone.gone],
    ['terminating', '/..', isDone.gone],
  ])('%s: memory is bounded and the event loop is not blocked', { timeout: 300_000 }, async (namespace, target, done) => {
    expect((await first(namespace)).metadata.ownerReferences).toHaveLength(1);
    collectHeap();
    const base = memory();
    let peak = 0;
    const { hold } = await holdOf(async () => {
      const path = target === '/..' ? `/api/v1/namespaces/${namespace}` : pathOf(namespace) + target;
      expect((await client.send('DELETE', path)).status).toBe(200);
      await vi.waitFor(async () => {
        peak = Math.max(peak, memory());
        expect(await done(namespace)).toBe(true);
      }, polling);
    });
    expect(peak - base).toBeLessThan(allowance);
    expect(hold.longest).toBeLessThan(100);
    if (namespace === 'orphan') expect((await first(namespace)).metadata.ownerReferences).toBeUndefined();
  });
});
