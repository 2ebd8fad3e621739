import { setImmediate as nextTurn } from 'node:timers/promises';
import { admissionChain, encodeStored, ObjectRegistry, openFeed, presentAs, type Resource, WatchCache } from '@tsukube/apiserver';
import { builtinResources, quotaEvaluators, resourceListObject } from '@tsukube/builtin';
import type { JsonObject } from '@tsukube/machinery';
import { openMemory } from '@tsukube/storage/memory';
import { describe, expect, it } from 'vitest';
import type { ControllerContext } from '../controller.ts';
import { UsageCounter } from './usage-counter.ts';

const all = builtinResources({ eventTtlSeconds: 1 });
const resources = ['pods', 'secrets', 'services'].map((plural) => all.find(({ names }) => names.plural === plural) as Resource);

async function open() {
  const store = openMemory();
  const feed = await openFeed(store, '', () => {});
  const registries = new Map(
    resources.map((resource) => {
      const cache = new WatchCache(store, feed, { prefix: `${resource.storagePrefix}/`, present: presentAs(resource) });
      return [resource, new ObjectRegistry(resource, cache, { admission: admissionChain([]), now: Date.now })];
    }),
  );
  const evaluators = quotaEvaluators({ now: Date.now, pods: undefined, claims: undefined, deviceClasses: undefined });
  const context = { resources, registryOf: (resource: Resource) => registries.get(resource) } as unknown as ControllerContext;
  const key = (name: string, plural = 'pods') => `/registry/${plural}/ns/${name}`;
  const put = (name: string, object: JsonObject, plural = 'pods') =>
    store.create(key(name, plural), encodeStored({ metadata: { name, namespace: 'ns' }, ...object }));
  return { store, context, evaluators, put, key, counter: new UsageCounter(context, evaluators) };
}

const pod = (cpu: string, spec: JsonObject = {}, status: JsonObject = {}): JsonObject => ({
  kind: 'Pod',
  apiVersion: 'v1',
  spec: { containers: [{ name: 'c', resources: { requests: { cpu } } }], ...spec },
  status,
});
const names = ['pods', 'requests.cpu', 'secrets', 'count/pods', 'count/unknown.example.com'];
const quota = { name: 'q', names, scopes: [] };

describe('UsageCounter', () => {
  it('sums the usage of all objects, by quota', async () => {
    const { put, counter } = await open();
    await put('a', pod('100m'));
    await put('b', pod('100m'));
    await put('c', pod('1', { activeDeadlineSeconds: 1 }));
    await put('d', pod('5', {}, { phase: 'Failed' }));
    await put('s', { kind: 'Secret', apiVersion: 'v1' }, 'secrets');
    const scoped = { ...quota, name: 'scoped', scopes: [{ scope: 'Terminating', operator: 'Exists', values: [] }] };
    const { usage, errors } = await counter.count('ns', [quota, scoped]);
    expect(errors).toEqual([]);
    expect([...usage].map(([name, list]) => [name, resourceListObject(list)])).toEqual([
      ['q', { 'count/pods': '4', pods: '3', 'requests.cpu': '1200m', secrets: '1' }],
      ['scoped', { 'count/pods': '1', pods: '1', 'requests.cpu': '1', secrets: '0' }],
    ]);
  });

  it('reads only objects that have changed', async () => {
    const { store, put, key, context, evaluators } = await open();
    const measured: string[] = [];
    const noting = {
      of(resource: Resource) {
        const evaluator = evaluators.of(resource);
        if (!evaluator || evaluator.isCount) return evaluator;
        const measure = (object: JsonObject) => {
          measured.push((object.metadata as JsonObject).name as string);
          return evaluator.measure(object);
        };
        return { ...evaluator, measure };
      },
    };
    const counter = new UsageCounter(context, noting);
    const { revision } = await put('a', pod('1'));
    await put('b', pod('1'));
    await counter.count('ns', [quota]);
    await store.update(key('a'), encodeStored({ ...pod('2'), metadata: { name: 'a', namespace: 'ns' } }), revision);
    const { usage } = await counter.count('ns', [quota]);
    expect(measured).toEqual(['a', 'b', 'a']);
    expect(resourceListObject(usage.get('q') ?? new Map())['requests.cpu']).toBe('3');
  });

  it('leaves out resources that cannot be listed', async () => {
    const { put, counter, context } = await open();
    await put('s', { kind: 'Secret', apiVersion: 'v1' }, 'secrets');
    const pods = context.registryOf(resources[0] as Resource) as ObjectRegistry;
    const failure = new Error('unreadable');
    Object.defineProperty(pods.cache, 'fresh', { value: () => Promise.reject(failure) });
    const { usage, errors } = await counter.count('ns', [quota]);
    expect(errors).toEqual([failure]);
    expect(resourceListObject(usage.get('q') ?? new Map())).toEqual({ secrets: '1' });
  });

  it('yields to the event loop', async () => {
    const { put, counter } = await open();
    for (let i = 0; i < 1500; i++) await put(`p${i}`, pod(`${i}m`));
    let turns = 0;
    const counting = counter.count('ns', [quota]);
    let isDone = false;
    void counting.then(() => {
      isDone = true;
    });
    while (!isDone) {
      await nextTurn();
      turns++;
    }
    expect(turns).toBeGreaterThan(3);
  });
});
