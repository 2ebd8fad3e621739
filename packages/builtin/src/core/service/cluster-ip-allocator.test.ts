import type { ObjectRegistry } from '@tsukube/apiserver';
import { type JsonObject, metadataOf, parseCidr, StatusError } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { ClusterIPAllocator } from './cluster-ip-allocator.ts';

/** Other servers allocate the same address first, this many times; their IPAddresses are not in the cache yet. */
function contended(conflicts: number) {
  const attempts: string[] = [];
  const cache = { prefix: '/', fresh: async () => {}, peek: () => undefined, slice: () => [] };
  const addresses = {
    cache,
    resource: { storagePrefix: '/registry/ipaddresses', hub: {}, strategy: {} },
    create: async (object: JsonObject) => {
      const { name = '' } = metadataOf(object);
      attempts.push(name);
      if (attempts.length <= conflicts)
        throw StatusError.alreadyExists({ group: 'networking.k8s.io', resource: 'ipaddresses' }, name);
    },
  };
  const registries: Record<string, unknown> = { ipaddresses: addresses, servicecidrs: { cache } };
  const services = { services: { registryNamed: (_group: string, name: string) => registries[name] } };
  const ranges = { clusterIPs: [parseCidr('10.0.0.0/16')], nodePorts: { first: 1, last: 8 } };
  type Parts = ConstructorParameters<typeof ClusterIPAllocator>;
  const allocator = new ClusterIPAllocator(services as unknown as ObjectRegistry, ranges as Parts[1]);
  return { attempts, allocate: () => allocator.allocateNext('IPv4', { namespace: 'x', name: 'y' }, false, () => 0) };
}

describe('cluster IP allocator', () => {
  it('takes another address after a conflict with another server', async () => {
    const { attempts, allocate } = contended(20);
    const ip = await allocate();
    expect(attempts).toHaveLength(21);
    expect(new Set(attempts).size).toBe(21);
    expect(ip).toBe(attempts.at(-1));
  });

  it('gives up after a limited number of conflicts', async () => {
    const { attempts, allocate } = contended(Number.POSITIVE_INFINITY);
    await expect(allocate()).rejects.toThrow('ipaddresses');
    expect(attempts).toHaveLength(250);
  });
});
