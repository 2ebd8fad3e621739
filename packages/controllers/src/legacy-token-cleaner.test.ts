import {
  admissionChain,
  decodeObject,
  encodeStored,
  ObjectRegistry,
  openFeed,
  presentAs,
  type Resource,
  WatchCache,
} from '@tsukube/apiserver';
import { builtinResources } from '@tsukube/builtin';
import type { JsonObject } from '@tsukube/machinery';
import { openMemory } from '@tsukube/storage/memory';
import { beforeEach, expect, it } from 'vitest';
import { type ControllerContext, registryNamed, writeAs } from './controller.ts';
import { cleanTokens } from './legacy-token-cleaner.ts';

const plurals = ['secrets', 'serviceaccounts', 'pods', 'configmaps'];
const resources = builtinResources({ eventTtlSeconds: 1 }).filter(
  ({ names, hub }) => hub.group === '' && plurals.includes(names.plural),
);
const dayMs = 86_400_000;
const created = Date.now();
/** Days after the objects were created. */
let day = 0;
let context: ControllerContext;

beforeEach(async () => {
  const store = openMemory();
  const feed = await openFeed(store, '', () => {});
  const registries = new Map(
    resources.map((resource) => {
      const cache = new WatchCache(store, feed, { prefix: `${resource.storagePrefix}/`, present: presentAs(resource) });
      return [resource, new ObjectRegistry(resource, cache, { admission: admissionChain([]), now: () => created })];
    }),
  );
  const now = () => created + day * dayMs;
  context = { resources, registryOf: (resource: Resource) => registries.get(resource), now } as unknown as ControllerContext;
  const since = new Date(created).toISOString().slice(0, 10);
  await create('configmaps', 'ConfigMap', 'kube-system', {
    metadata: { name: 'kube-apiserver-legacy-service-account-token-tracking' },
    data: { since },
  });
  const names = ['generated', 'mounted', 'used'];
  await create('serviceaccounts', 'ServiceAccount', 'default', {
    metadata: { name: 'robot' },
    secrets: names.map((name) => ({ name })),
  });
  for (const name of [...names, 'manual']) await create('secrets', 'Secret', 'default', token(name));
  const volumes = [{ name: 'v', secret: { secretName: 'mounted' } }];
  const pods = registryNamed(context, 'pods');
  const pod = { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'p' }, spec: { containers: [], volumes } };
  await pods.cache.create(pods.key('default', 'p'), encodeStored(pod));
});

async function create(plural: string, kind: string, namespace: string, object: JsonObject): Promise<void> {
  const registry = registryNamed(context, plural);
  await registry.create({ apiVersion: 'v1', kind, ...object }, writeAs(registry, namespace));
}

function token(name: string): JsonObject {
  const lastUsed = new Date(created + 300 * dayMs).toISOString().slice(0, 10);
  return {
    type: 'kubernetes.io/service-account-token',
    metadata: {
      name,
      annotations: { 'kubernetes.io/service-account.name': 'robot' },
      ...(name === 'used' && { labels: { 'kubernetes.io/legacy-token-last-used': lastUsed } }),
    },
  };
}

async function marksAfter(days: number): Promise<Record<string, string>> {
  day = days;
  await cleanTokens(context);
  const secrets = registryNamed(context, 'secrets');
  const { entries } = await secrets.cache.list(secrets.cache.prefix);
  const marks = entries.map(({ value }) => {
    const { name, labels } = decodeObject(value).metadata;
    return [name, labels?.['kubernetes.io/legacy-token-invalid-since'] === undefined ? 'valid' : 'invalid'];
  });
  return Object.fromEntries(marks);
}

it('marks unused generated tokens after a year, and deletes them after another', async () => {
  const untouched = { generated: 'valid', manual: 'valid', mounted: 'valid', used: 'valid' };
  expect(await marksAfter(364)).toEqual(untouched);
  const marked = { ...untouched, generated: 'invalid' };
  expect(await marksAfter(367)).toEqual(marked);
  expect(await marksAfter(700)).toEqual({ ...marked, used: 'invalid' });
  expect(await marksAfter(740)).toEqual({ manual: 'valid', mounted: 'valid', used: 'invalid' });
});
