import { vi } from 'vitest';
import type { Any } from '../../support/client.ts';
import { newNamespace, type ServerUnderTest, useServer } from '../../support/server.ts';

export interface SimulatedCluster {
  /** Creates a namespace and returns its name. */
  namespace(): Promise<string>;
  /** Creates an object in a namespace. */
  create(path: string, object: object): Promise<Any>;
  get(path: string): Promise<Any>;
  /** The items of a list, by name. */
  list(path: string): Promise<Any[]>;
  /** Sends a merge patch. */
  patch(path: string, patch: object): Promise<Any>;
  delete(path: string): Promise<void>;
  /** Repeats an assertion until it holds. */
  eventually<T>(check: () => Promise<T>): Promise<T>;
}

/** A server with workload controllers and simulated nodes, for all tests of a file. */
export function useSimulatedCluster(simulateNodes = 3): SimulatedCluster {
  return clusterOf(useServer({ controllers: ['*', 'workloads'], simulateNodes }));
}

/** The same for a server with other controllers. */
export function clusterOf(under: ServerUnderTest, timeout = 20_000): SimulatedCluster {
  const send = async (method: string, path: string, body?: object, type?: string): Promise<Any> => {
    const headers = type === undefined ? undefined : { 'content-type': type };
    const reply = await under.client.send(method, path, body, headers);
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.body;
  };
  return {
    namespace: async () => (await newNamespace(under.client)).split('/')[4] as string,
    create: (path, object) => send('POST', path, object),
    get: (path) => send('GET', path),
    list: async (path) => (await send('GET', path)).items,
    patch: (path, patch) => send('PATCH', path, patch, 'application/merge-patch+json'),
    delete: async (path) => void (await send('DELETE', path)),
    eventually: (check) => vi.waitFor(check, { timeout, interval: 20 }),
  };
}

/** A pod template with one container. */
export function template(labels: Record<string, string>, image = 'nginx:1', annotations: Record<string, string> = {}) {
  return { metadata: { labels, annotations }, spec: { containers: [{ name: 'web', image }] } };
}

/** Annotations that tell a simulated pod how to behave. */
export function behaviour(options: Record<string, string | number>): Record<string, string> {
  return Object.fromEntries(Object.entries(options).map(([key, value]) => [`simulation.tsukube.dev/${key}`, String(value)]));
}

/** PodMetrics as a custom resource: the usage of pods is what a test writes. */
export const podMetricsDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'pods.metrics.k8s.io', annotations: { 'api-approved.kubernetes.io': 'unapproved, for tests' } },
  spec: {
    group: 'metrics.k8s.io',
    scope: 'Namespaced',
    names: { plural: 'pods', singular: 'pod', kind: 'PodMetrics', listKind: 'PodMetricsList' },
    versions: [
      {
        name: 'v1beta1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

/** The metrics of a pod with one container. */
export function podMetrics(name: string, labels: Record<string, string>, cpu: string) {
  return {
    apiVersion: 'metrics.k8s.io/v1beta1',
    kind: 'PodMetrics',
    metadata: { name, labels },
    timestamp: `${new Date().toISOString().slice(0, 19)}Z`,
    // A kube-controller-manager ignores the cpu usage of pods that became ready within the window.
    window: '0s',
    containers: [{ name: 'web', usage: { cpu, memory: '1Mi' } }],
  };
}
