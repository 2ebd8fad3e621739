import type { Store } from '@tsukube/storage';
import { ManualClock, storeContract } from '@tsukube/storage/contract';
import { openMemory } from '@tsukube/storage/memory';
import { describe, expect, it } from 'vitest';
import type { Resource } from '../registry/resource.ts';
import { Registry } from './prometheus/registry.ts';
import { measuredStore, storeMetrics } from './store-metrics.ts';

const leases = { hub: { group: 'coordination.k8s.io' }, names: { plural: 'leases' } } as Resource;

function open(inner: Store): { store: Store; registry: Registry } {
  const registry = new Registry();
  return { store: measuredStore(inner, storeMetrics(registry)(leases)), registry };
}

storeContract('a measured store', async () => {
  const clock = new ManualClock();
  const { store } = open(openMemory({ clock }));
  return { store, advance: (seconds) => clock.advance(seconds), close: () => store.close() };
});

describe('store metrics', () => {
  const line = (metric: string, operation: string, value: number) =>
    `${metric}{group="coordination.k8s.io",operation="${operation}",resource="leases"} ${value}\n`;

  it('counts operations by resource; failed preconditions are not errors', async () => {
    const { store, registry } = open(openMemory());
    const { revision } = await store.create('/a', Buffer.from('1'));
    await expect(store.create('/a', Buffer.from('2'))).rejects.toThrow('key exists');
    await store.update('/a', Buffer.from('3'), revision);
    await expect(store.delete('/a', revision)).rejects.toThrow('is at revision');
    await store.get('/a');
    await store.list('/');
    const text = await registry.scrape();
    for (const [operation, count] of Object.entries({ create: 2, delete: 1, get: 1, list: 1, update: 1 })) {
      expect(text).toContain(line('etcd_requests_total', operation, count));
      expect(text).toContain(line('etcd_request_duration_seconds_count', operation, count));
    }
    expect(text).not.toContain('etcd_request_errors_total');
    await store.close();
  });

  it('counts failures as errors', async () => {
    const { store, registry } = open(openMemory());
    await store.close();
    await expect(store.get('/a')).rejects.toThrow();
    expect(await registry.scrape()).toContain(line('etcd_request_errors_total', 'get', 1));
  });

  it('has a tap only if the store has one', () => {
    const inner = openMemory();
    expect(open(inner).store.tap).toBeTypeOf('function');
    expect(open(Object.assign(Object.create(inner) as Store, { tap: undefined })).store.tap).toBeUndefined();
  });
});
