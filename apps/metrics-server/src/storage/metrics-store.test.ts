import { describe, expect, it } from 'vitest';
import type { MetricsPoint, NodeSample } from '../kubelet/node-sample.ts';
import { MetricsStore } from './metrics-store.ts';

const resolutionMs = 15_000;

/** A point at a second, with CPU seconds used until then. */
function point(second: number, cpuSeconds: number, startSecond = 0, memoryBytes = 1000): MetricsPoint {
  return { timestampMs: second * 1000, cpuSeconds, memoryBytes, startMs: startSecond * 1000 };
}

function sample(node: MetricsPoint | undefined, containers: Record<string, MetricsPoint> = {}, pod = 'web'): NodeSample {
  const points = Object.entries(containers).map(([name, each]) => ({ name, point: each }));
  return { node, pods: points.length === 0 ? [] : [{ namespace: 'default', name: pod, containers: points }] };
}

function storeOf(...samples: NodeSample[]): MetricsStore {
  const store = new MetricsStore(resolutionMs);
  for (const each of samples) store.store('a', each);
  return store;
}

describe('the usage of a node', () => {
  const usage = (...points: MetricsPoint[]) => storeOf(...points.map((each) => sample(each))).nodeUsage('a');

  it('needs two points', () => {
    expect(usage()).toBeUndefined();
    expect(usage(point(100, 10))).toBeUndefined();
    expect(usage(point(100, 10), point(110, 15))).toEqual({
      nanoCores: 500_000_000,
      memoryBytes: 1000,
      timestampMs: 110_000,
      windowMs: 10_000,
    });
  });

  it.each([
    ['the newest two points count', [point(100, 10), point(110, 15), point(120, 25)], 1e9],
    ['the same point again changes nothing', [point(100, 10), point(110, 15), point(110, 15)], 5e8],
    ['a late point between the two takes the place of the newer', [point(100, 10), point(110, 15), point(105, 10)], 0],
    ['a point older than both leaves no usage', [point(100, 10), point(110, 15), point(90, 5)], undefined],
    ['a counter that restarts has no usage', [point(100, 10), point(110, 1)], undefined],
    ['the period after a restart has one', [point(100, 10), point(110, 1), point(120, 3)], 2e8],
  ] as const)('%s', (_, points, nanoCores) => {
    expect(usage(...points)?.nanoCores).toBe(nanoCores);
  });

  it('is lost with a failed scrape, alone', () => {
    const store = storeOf(sample(point(100, 10)), sample(point(110, 20)));
    store.store('b', sample(point(100, 10)));
    store.store('b', sample(point(110, 20)));
    store.drop('a');
    expect([store.nodeUsage('a'), store.nodeUsage('b')?.nanoCores]).toEqual([undefined, 1e9]);
    store.retain(new Set(['c']));
    expect(store.nodeUsage('b')).toBeUndefined();
    expect(store.points()).toEqual({ nodes: 0, containers: 0 });
  });

  it('is missing while the kubelet reports none', () => {
    const store = storeOf(sample(point(100, 10)), sample(undefined), sample(point(110, 20)));
    expect(store.nodeUsage('a')).toBeUndefined();
  });
});

describe('the usage of a pod', () => {
  const usage = (...containers: Record<string, MetricsPoint>[]) =>
    storeOf(...containers.map((each) => sample(undefined, each))).podUsage('default', 'web');
  const cores = (...containers: Record<string, MetricsPoint>[]) =>
    usage(...containers)?.containers.map(({ name, usage: { nanoCores } }) => [name, nanoCores / 1e9]);

  it('is that of its containers, with the time of the oldest', () => {
    expect(usage({ a: point(100, 10), b: point(98, 10) }, { a: point(110, 20), b: point(109, 10) })).toEqual({
      containers: [
        { name: 'a', usage: { nanoCores: 1e9, memoryBytes: 1000, timestampMs: 110_000, windowMs: 10_000 } },
        { name: 'b', usage: { nanoCores: 0, memoryBytes: 1000, timestampMs: 109_000, windowMs: 11_000 } },
      ],
      timestampMs: 109_000,
      windowMs: 11_000,
    });
  });

  it.each([
    ['one point', [{ a: point(100, 10) }], undefined],
    ['a container more', [{ a: point(100, 10) }, { a: point(110, 20), b: point(110, 1) }], undefined],
    ['a container less', [{ a: point(100, 10), b: point(100, 1) }, { a: point(110, 20) }], [['a', 1]]],
    ['a restart', [{ a: point(100, 10) }, { a: point(112, 1, 105) }], undefined],
    ['after a restart', [{ a: point(100, 10) }, { a: point(112, 1, 105) }, { a: point(122, 2, 105) }], [['a', 0.1]]],
    ['a container younger than a period', [{ a: point(112, 3, 100) }], [['a', 0.25]]],
    ['a container younger than 10 seconds', [{ a: point(109, 3, 100) }], undefined],
    ['a counter that decreases without a restart', [{ a: point(100, 10) }, { a: point(110, 1) }], undefined],
    [
      'a counter that decreases beside another',
      [
        { a: point(100, 10), b: point(100, 1) },
        { a: point(110, 1), b: point(110, 2) },
      ],
      [['b', 0.1]],
    ],
  ] as const)('%s', (_, containers, expected) => {
    expect(cores(...containers)).toEqual(expected);
  });

  it('comes from the first of two nodes, and from the other when that one stops', () => {
    const store = new MetricsStore(resolutionMs);
    const scrape = (node: string, second: number, cpu: number) => store.store(node, sample(undefined, { a: point(second, cpu) }));
    scrape('a', 100, 10);
    scrape('b', 100, 1);
    scrape('a', 110, 20);
    scrape('b', 110, 1);
    expect(store.podUsage('default', 'web')?.containers[0]?.usage.nanoCores).toBe(1e9);
    store.drop('a');
    expect(store.podUsage('default', 'web')).toBeUndefined();
    scrape('b', 120, 1);
    scrape('b', 130, 3);
    expect(store.podUsage('default', 'web')?.containers[0]?.usage.nanoCores).toBe(2e8);
    store.store('b', sample(point(140, 3)));
    expect(store.podUsage('default', 'web')).toBeUndefined();
  });
});
