import { describe, expect, it } from 'vitest';
import { behaviour, useSimulatedCluster } from './simulated-cluster.ts';

const cluster = useSimulatedCluster(2);

async function start(annotations: Record<string, string>, spec: object = {}) {
  const namespace = await cluster.namespace();
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  const containers = [{ name: 'c', image: 'busybox' }];
  await cluster.create(pods, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a', annotations },
    spec: { containers, ...spec },
  });
  return `${pods}/a`;
}

function state(path: string, expected: object) {
  return cluster.eventually(async () => {
    const pod = await cluster.get(path);
    expect(pod.status).toMatchObject(expected);
    return pod;
  });
}

describe('a simulated node', () => {
  it('is ready, with a lease and without taints', async () => {
    await cluster.eventually(async () => {
      const node = await cluster.get('/api/v1/nodes/node-1');
      expect(node.spec.taints).toBeUndefined();
      expect(node.status.conditions).toContainEqual(
        expect.objectContaining({ type: 'Ready', status: 'True', reason: 'KubeletReady' }),
      );
      expect(node.status.allocatable).toMatchObject({ cpu: '32', memory: '256Gi', pods: '110' });
    });
    const lease = await cluster.get('/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-1');
    expect(lease.spec).toMatchObject({ holderIdentity: 'node-1', leaseDurationSeconds: 40 });
  });

  it('simulates nodes that other clients create', async () => {
    const metadata = { name: 'own', annotations: { 'kwok.x-k8s.io/node': 'fake' }, labels: { 'kubernetes.io/hostname': 'own' } };
    await cluster.create('/api/v1/nodes', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata,
      status: { capacity: { cpu: '1', memory: '1Gi', pods: '5' } },
    });
    const path = await start({}, { nodeSelector: { 'kubernetes.io/hostname': 'own' } });
    const pod = await state(path, { phase: 'Running' });
    expect(pod.spec.nodeName).toBe('own');
    const { status } = await cluster.get('/api/v1/nodes/own');
    expect(status.allocatable).toEqual({ cpu: '1', memory: '1Gi', pods: '5' });
    await cluster.delete('/api/v1/nodes/own');
  });
});

describe('a simulated pod', () => {
  it('runs, with the status of a kubelet', async () => {
    const path = await start({}, { initContainers: [{ name: 'i', image: 'busybox' }] });
    const { status, spec } = await state(path, { phase: 'Running' });
    const conditions = status.conditions.map(({ type, status: value }: Record<string, string>) => `${type}=${value}`);
    expect(conditions).toEqual([
      'PodReadyToStartContainers=True',
      'Initialized=True',
      'Ready=True',
      'ContainersReady=True',
      'PodScheduled=True',
    ]);
    expect(status.containerStatuses[0]).toMatchObject({
      name: 'c',
      ready: true,
      started: true,
      restartCount: 0,
      state: { running: {} },
    });
    expect(status.initContainerStatuses[0].state.terminated).toMatchObject({ exitCode: 0, reason: 'Completed' });
    expect(status).toMatchObject({
      hostIP: expect.any(String),
      podIP: expect.any(String),
      startTime: expect.any(String),
      qosClass: 'BestEffort',
    });
    expect(spec.nodeName).toMatch(/^node-/);
  });

  it.each([
    [
      { pending: 'ImagePullBackOff' },
      {},
      { phase: 'Pending', containerStatuses: [{ state: { waiting: { reason: 'ImagePullBackOff' } } }] },
    ],
    [
      { 'run-seconds': 0 },
      { restartPolicy: 'Never' },
      { phase: 'Succeeded', containerStatuses: [{ state: { terminated: { exitCode: 0 } } }] },
    ],
    [
      { 'exit-code': 7 },
      { restartPolicy: 'Never' },
      { phase: 'Failed', containerStatuses: [{ state: { terminated: { exitCode: 7, reason: 'Error' } } }] },
    ],
    [
      { 'exit-code': 1 },
      {},
      { phase: 'Running', containerStatuses: [{ restartCount: 1, state: { waiting: { reason: 'CrashLoopBackOff' } } }] },
    ],
    [{ 'ready-seconds': 'never' }, {}, { phase: 'Running', containerStatuses: [{ ready: false, started: true }] }],
  ])('with %j and %j', async (options, spec, expected) => {
    await state(await start(behaviour(options as Record<string, string | number>), spec), expected);
  });

  it('waits for its readiness gates', async () => {
    const path = await start({}, { readinessGates: [{ conditionType: 'example.com/ok' }] });
    const pod = await state(path, { phase: 'Running', containerStatuses: [{ ready: true }] });
    const ready = (conditions: { type: string; status: string }[]) => conditions.find(({ type }) => type === 'Ready')?.status;
    expect(ready(pod.status.conditions)).toBe('False');
    const conditions = [...pod.status.conditions, { type: 'example.com/ok', status: 'True' }];
    await cluster.patch(`${path}/status`, { status: { conditions } });
    await cluster.eventually(async () => expect(ready((await cluster.get(path)).status.conditions)).toBe('True'));
  });

  it('stops when it is deleted, after the time it needs', async () => {
    const path = await start(behaviour({ 'stop-seconds': 1 }));
    await state(path, { phase: 'Running' });
    await cluster.delete(path);
    const { metadata } = await cluster.get(path);
    expect(metadata.deletionGracePeriodSeconds).toBe(30);
    await cluster.eventually(async () => await expect(cluster.get(path)).rejects.toThrow('404'));
  });
});

describe('the scheduler', () => {
  it('reports why no node fits, and tries again when one does', async () => {
    const path = await start({}, { nodeSelector: { zone: 'a' } });
    const pod = await state(path, { phase: 'Pending', conditions: [{ reason: 'Unschedulable' }] });
    const [{ message }] = pod.status.conditions;
    expect(message).toMatch(/^0\/[0-9]+ nodes are available: [0-9]+ node\(s\) didn't match Pod's node affinity\/selector\./);
    await cluster.patch('/api/v1/nodes/node-0', { metadata: { labels: { zone: 'a' } } });
    await state(path, { phase: 'Running' });
  });

  it('respects resources, taints and cordons', async () => {
    const containers = [{ name: 'c', image: 'busybox', resources: { requests: { cpu: '33' } } }];
    const big = await start({}, { containers });
    await state(big, { conditions: [{ message: expect.stringContaining('Insufficient cpu') }] });
    await cluster.patch('/api/v1/nodes/node-0', { spec: { taints: [{ key: 'only', value: 'a', effect: 'NoSchedule' }] } });
    await cluster.patch('/api/v1/nodes/node-1', { spec: { unschedulable: true } });
    const refused = await start({});
    const pod = await state(refused, { conditions: [{ reason: 'Unschedulable' }] });
    expect(pod.status.conditions[0].message).toContain('1 node(s) had untolerated taint(s), 1 node(s) were unschedulable');
    const tolerating = await start({}, { tolerations: [{ key: 'only', operator: 'Equal', value: 'a', effect: 'NoSchedule' }] });
    await state(tolerating, { phase: 'Running' });
    await cluster.patch('/api/v1/nodes/node-1', { spec: { unschedulable: null } });
    expect((await state(refused, { phase: 'Running' })).spec.nodeName).toBe('node-1');
    await cluster.patch('/api/v1/nodes/node-0', { spec: { taints: null } });
  });

  it('spreads pods that repel each other', async () => {
    const namespace = await cluster.namespace();
    const pods = `/api/v1/namespaces/${namespace}/pods`;
    const term = { labelSelector: { matchLabels: { app: 'x' } }, topologyKey: 'kubernetes.io/hostname' };
    const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
    for (const name of ['a', 'b', 'c']) {
      const spec = { containers: [{ name: 'c', image: 'busybox' }], affinity };
      await cluster.create(pods, { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels: { app: 'x' } }, spec });
    }
    await cluster.eventually(async () => {
      const items = await cluster.list(pods);
      expect(
        items
          .map(({ spec }) => spec.nodeName)
          .filter(Boolean)
          .sort(),
      ).toEqual(['node-0', 'node-1']);
      const waiting = items.find(({ spec }) => !spec.nodeName);
      expect(waiting.status.conditions[0].message).toContain("2 node(s) didn't match pod anti-affinity rules");
    });
  });
});
