import { describe, expect, it } from 'vitest';
import { behaviour, template, useSimulatedCluster } from './simulated-cluster.ts';

const cluster = useSimulatedCluster();
const labels = { app: 'web' };

async function serve(spec: object, annotations: Record<string, string> = {}) {
  const namespace = await cluster.namespace();
  const core = `/api/v1/namespaces/${namespace}`;
  const pod = template(labels, 'nginx', annotations);
  const containers = [{ ...pod.spec.containers[0], ports: [{ name: 'web', containerPort: 8080 }] }];
  await cluster.create(`${core}/pods`, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...pod.metadata, name: 'a' },
    spec: { containers },
  });
  const service = { selector: labels, ports: [{ name: 'http', port: 80, targetPort: 'web' }], ...spec };
  await cluster.create(`${core}/services`, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', labels: { a: 'b' } },
    spec: service,
  });
  return { core, slices: `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices` };
}

describe('a Service', () => {
  it('has its ready pods in an EndpointSlice and in Endpoints', async () => {
    const { core, slices } = await serve({});
    const pod = await cluster.eventually(async () => {
      const found = await cluster.get(`${core}/pods/a`);
      expect(found.status.podIP).toBeDefined();
      return found;
    });
    const slice = await cluster.eventually(async () => {
      const [found] = await cluster.list(slices);
      expect(found.endpoints?.[0]?.conditions.ready).toBe(true);
      return found;
    });
    const targetRef = { kind: 'Pod', namespace: pod.metadata.namespace, name: 'a', uid: pod.metadata.uid };
    expect(slice).toMatchObject({
      addressType: 'IPv4',
      endpoints: [
        {
          addresses: [pod.status.podIP],
          conditions: { ready: true, serving: true, terminating: false },
          nodeName: pod.spec.nodeName,
          targetRef,
        },
      ],
      ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
    });
    expect(slice.metadata).toMatchObject({
      generateName: 'web-',
      labels: {
        a: 'b',
        'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
        'kubernetes.io/service-name': 'web',
      },
      ownerReferences: [expect.objectContaining({ kind: 'Service', name: 'web', controller: true })],
    });
    const endpoints = await cluster.eventually(async () => {
      const found = await cluster.get(`${core}/endpoints/web`);
      expect(found.subsets?.[0]?.addresses).toHaveLength(1);
      return found;
    });
    expect(endpoints.subsets).toEqual([
      {
        addresses: [{ ip: pod.status.podIP, nodeName: pod.spec.nodeName, targetRef }],
        ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
      },
    ]);
    expect(endpoints.metadata.labels).toEqual({ a: 'b', 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' });
    await cluster.delete(`${core}/services/web`);
    await cluster.eventually(async () => expect(await cluster.list(slices)).toEqual([]));
    await cluster.eventually(async () => expect(await cluster.list(`${core}/endpoints`)).toEqual([]));
  });

  it('lists pods that are not ready as such', async () => {
    const { core, slices } = await serve({ clusterIP: 'None' }, behaviour({ 'ready-seconds': 'never' }));
    await cluster.eventually(async () => {
      const [slice] = await cluster.list(slices);
      expect(slice.endpoints[0].conditions).toEqual({ ready: false, serving: false, terminating: false });
      expect(slice.metadata.labels['service.kubernetes.io/headless']).toBe('');
      const { subsets } = await cluster.get(`${core}/endpoints/web`);
      expect(subsets[0].notReadyAddresses).toHaveLength(1);
    });
  });

  it('has an empty slice without pods', async () => {
    const { slices } = await serve({ selector: { app: 'none' } });
    await cluster.eventually(async () => {
      const items = await cluster.list(slices);
      expect(items).toHaveLength(1);
      expect(items[0]).toMatchObject({ endpoints: null, ports: null });
    });
  });
});
