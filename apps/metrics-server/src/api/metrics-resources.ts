import type { ApiObject } from '@tsukube/client';
import {
  type DefinedResource,
  defineResource,
  formatGoDuration,
  formatQuantity,
  type ListCall,
  type ObjectCall,
} from '@tsukube/sdk';
import type { MetricsStore, PodUsage } from '../storage/metrics-store.ts';
import type { Usage } from '../storage/usage.ts';
import type { ClusterObjects, NodeObject } from './cluster-objects.ts';

const group = 'metrics.k8s.io';
const version = 'v1beta1';

const usageSchema = {
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'Usage of CPU and memory.',
} as const;
const sampledSchema = {
  timestamp: { type: 'string', format: 'date-time', description: 'End of the interval in which the usage was measured.' },
  window: { type: 'string', description: 'Length of the interval.' },
} as const;

const windowColumn = { name: 'Window', value: '.window', format: 'duration', description: 'Length of the interval.' } as const;
const quantity = { format: 'quantity' } as const;

interface Sources {
  readonly cluster: ClusterObjects;
  readonly store: MetricsStore;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** NodeMetrics and PodMetrics: computed with every request, for objects that exist and have been scraped twice. */
export function metricsResources(sources: Sources): readonly DefinedResource[] {
  return [nodeMetrics(sources), podMetrics(sources)];
}

function nodeMetrics({ cluster, store, now }: Sources): DefinedResource {
  const metricsOf = (node: NodeObject) => {
    const usage = store.nodeUsage(node.metadata.name ?? '');
    if (usage === undefined) return undefined;
    return { metadata: metadataOf(node, now()), ...sampled(usage), usage: quantities(usage) };
  };
  return defineResource({
    group,
    version,
    kind: 'NodeMetrics',
    plural: 'nodes',
    singular: 'node',
    scope: 'Cluster',
    schema: { type: 'object', properties: { ...sampledSchema, usage: usageSchema } },
    age: false,
    columns: [
      { name: 'cpu', value: '.usage.cpu', ...quantity },
      { name: 'memory', value: '.usage.memory', ...quantity },
      windowColumn,
    ],
    storage: {
      get({ name }: ObjectCall) {
        const node = cluster.nodes.store.get(name);
        return node && metricsOf(node);
      },
      list: () => present(cluster.nodes.store.values(), metricsOf),
    },
  });
}

function podMetrics({ cluster, store, now }: Sources): DefinedResource {
  const metricsOf = (pod: ApiObject) => {
    const usage = store.podUsage(pod.metadata.namespace ?? '', pod.metadata.name ?? '');
    if (usage === undefined) return undefined;
    const containers = usage.containers.map((each) => ({ name: each.name, usage: quantities(each.usage) }));
    return { metadata: metadataOf(pod, now()), ...sampled(usage), containers };
  };
  const container = { type: 'object', properties: { name: { type: 'string' }, usage: usageSchema } } as const;
  return defineResource({
    group,
    version,
    kind: 'PodMetrics',
    plural: 'pods',
    singular: 'pod',
    schema: { type: 'object', properties: { ...sampledSchema, containers: { type: 'array', items: container } } },
    age: false,
    columns: [
      { name: 'cpu', value: (pod) => cpuQuantity(total(store, pod).nanoCores), ...quantity },
      { name: 'memory', value: (pod) => memoryQuantity(total(store, pod).memoryBytes), ...quantity },
      windowColumn,
    ],
    storage: {
      get({ namespace, name }: ObjectCall) {
        const pod = cluster.pods.store.get(`${namespace}/${name}`);
        return pod && metricsOf(pod);
      },
      list({ namespace }: ListCall) {
        const { store: pods } = cluster.pods;
        return present(namespace === undefined ? pods.values() : pods.byIndex('namespace', namespace), metricsOf);
      },
    },
  });
}

function* present<T, M>(objects: Iterable<T>, metricsOf: (object: T) => M | undefined): Iterable<M> {
  for (const object of objects) {
    const metrics = metricsOf(object);
    if (metrics !== undefined) yield metrics;
  }
}

/** Labels are those of the object, so that selectors apply. The creation is that of the answer, as in metrics-server. */
function metadataOf({ metadata }: ApiObject, nowMs: number) {
  const { name = '', namespace, labels } = metadata;
  return {
    name,
    ...(namespace && { namespace }),
    ...(labels && { labels }),
    creationTimestamp: timeText(nowMs),
  };
}

function sampled({ timestampMs, windowMs }: Pick<PodUsage, 'timestampMs' | 'windowMs'>) {
  return { timestamp: timeText(timestampMs), window: durationText(windowMs) };
}

function quantities({ nanoCores, memoryBytes }: Usage) {
  return { cpu: cpuQuantity(nanoCores), memory: memoryQuantity(memoryBytes) };
}

/** The sum of a pod's containers. */
function total(store: MetricsStore, { metadata }: Pick<ApiObject, 'metadata'>) {
  const { containers = [] } = store.podUsage(metadata.namespace ?? '', metadata.name ?? '') ?? {};
  return {
    nanoCores: containers.reduce((sum, { usage }) => sum + usage.nanoCores, 0),
    memoryBytes: containers.reduce((sum, { usage }) => sum + usage.memoryBytes, 0),
  };
}

/** Billionths of a core as a quantity: `250000000` is `250m`. */
export function cpuQuantity(nanoCores: number): string {
  return formatQuantity({ mantissa: BigInt(Math.floor(nanoCores)), exponent: -9, format: 'DecimalSI' });
}

/** Bytes as a quantity in powers of 1024. */
export function memoryQuantity(bytes: number): string {
  return formatQuantity({ mantissa: BigInt(Math.floor(bytes)), exponent: 0, format: 'BinarySI' });
}

/** A metav1.Duration: `15.012s`. */
export function durationText(ms: number): string {
  return formatGoDuration(BigInt(Math.round(ms * 1e6)));
}

/** A metav1.Time: whole seconds. */
export function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
