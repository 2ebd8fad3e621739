import type { JsonObject } from '@tsukube/machinery';
import { expect, it } from 'vitest';
import type { WatchCache } from '../watchcache/watch-cache.ts';
import { serviceResolver } from './service-resolver.ts';

/** A cache with the methods that the resolver uses. */
function cacheWith(objects: Readonly<Record<string, JsonObject>>): WatchCache {
  const entries = Object.entries(objects).map(([key, object]) => ({
    key: `/p/${key}`,
    value: Buffer.from(JSON.stringify(object)),
  }));
  return {
    prefix: '/p/',
    fresh: () => undefined,
    get: async (key: string) => entries.find((entry) => entry.key === key),
    slice: (prefix: string) => entries.filter(({ key }) => key.startsWith(prefix)),
  } as unknown as WatchCache;
}

const service = (spec: JsonObject) => cacheWith({ 'n/s': { spec } });
const ports = [{ name: 'web', port: 443 }];
const slice: JsonObject = {
  metadata: { labels: { 'kubernetes.io/service-name': 's' } },
  ports: [{ name: 'web', port: 8443 }],
  endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: false } }, { addresses: ['10.0.0.2'] }],
};
const endpoints: JsonObject = { subsets: [{ addresses: [{ ip: '10.0.0.3' }], ports: [{ name: 'web', port: 9443 }] }] };
const reference = { namespace: 'n', name: 's', port: 443 };

it.each<[string, Record<string, WatchCache>, string]>([
  [
    'a ready address of an EndpointSlice',
    { services: service({ ports, clusterIP: '10.1.1.1' }), endpointslices: cacheWith({ 'n/x': slice }) },
    '10.0.0.2:8443',
  ],
  ['an address of Endpoints', { services: service({ ports }), endpoints: cacheWith({ 'n/s': endpoints }) }, '10.0.0.3:9443'],
  ['the service itself', { services: service({ ports, clusterIP: '10.1.1.1' }) }, '10.1.1.1:443'],
  ['another name', { services: service({ type: 'ExternalName', externalName: 'example.com' }) }, 'example.com:443'],
])('finds %s', async (_title, caches, address) => {
  const { host, port } = await serviceResolver(
    (_group, name) => caches[name],
    () => 0,
  )(reference);
  expect(`${host}:${port}`).toBe(address);
});

it.each<[string, Record<string, WatchCache>, string]>([
  ['no service', { services: cacheWith({}) }, 'service "s" not found'],
  ['no such port', { services: service({ ports: [{ port: 80 }] }) }, 'no service port 443 found for service "s"'],
  [
    'without endpoints and ClusterIP',
    { services: service({ ports, clusterIP: 'None' }) },
    'cannot route to service with ClusterIP "None"',
  ],
])('fails with %s', async (_title, caches, message) => {
  await expect(serviceResolver((_group, name) => caches[name])(reference)).rejects.toThrow(message);
});
