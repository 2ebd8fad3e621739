import { describe, expect, it } from 'vitest';
import type { Any } from '../../support/client.ts';
import { template, useSimulatedCluster } from './simulated-cluster.ts';

const cluster = useSimulatedCluster();
const labels = { app: 'db' };

async function create(kind: 'DaemonSet' | 'StatefulSet', spec: object) {
  const namespace = await cluster.namespace();
  const path = `/apis/apps/v1/namespaces/${namespace}/${kind.toLowerCase()}s`;
  const whole = { selector: { matchLabels: labels }, template: template(labels), ...spec };
  await cluster.create(path, { apiVersion: 'apps/v1', kind, metadata: { name: 'db' }, spec: whole });
  return {
    namespace,
    path: `${path}/db`,
    core: `/api/v1/namespaces/${namespace}`,
    apps: `/apis/apps/v1/namespaces/${namespace}`,
  };
}

const claimTemplate = {
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};

function names(items: Any[]): string[] {
  return items.map(({ metadata }) => metadata.name);
}

describe('a StatefulSet', () => {
  it('creates its pods in order, each with its claims', async () => {
    const { path, core, apps } = await create('StatefulSet', {
      serviceName: 'db',
      replicas: 3,
      volumeClaimTemplates: [claimTemplate],
    });
    await cluster.eventually(async () =>
      expect((await cluster.get(path)).status).toMatchObject({ readyReplicas: 3, availableReplicas: 3 }),
    );
    const pods = await cluster.list(`${core}/pods`);
    expect(names(pods)).toEqual(['db-0', 'db-1', 'db-2']);
    // Each is created when the one before is ready.
    const at = (pod: Any) => Number(pod.metadata.resourceVersion);
    expect(at(pods[0])).toBeLessThan(at(pods[1]));
    const [revision] = await cluster.list(`${apps}/controllerrevisions`);
    expect(revision).toMatchObject({ revision: 1, data: { spec: { template: { $patch: 'replace' } } } });
    expect(pods[1].metadata.labels).toEqual({
      app: 'db',
      'apps.kubernetes.io/pod-index': '1',
      'controller-revision-hash': revision.metadata.name,
      'statefulset.kubernetes.io/pod-name': 'db-1',
    });
    expect(pods[1].spec).toMatchObject({ hostname: 'db-1', subdomain: 'db' });
    expect(pods[1].spec.volumes[0]).toEqual({ name: 'data', persistentVolumeClaim: { claimName: 'data-db-1' } });
    expect(names(await cluster.list(`${core}/persistentvolumeclaims`))).toEqual(['data-db-0', 'data-db-1', 'data-db-2']);
    expect((await cluster.get(path)).status).toEqual({
      observedGeneration: 1,
      replicas: 3,
      readyReplicas: 3,
      currentReplicas: 3,
      updatedReplicas: 3,
      availableReplicas: 3,
      currentRevision: revision.metadata.name,
      updateRevision: revision.metadata.name,
      collisionCount: 0,
    });
  });

  it('updates from the last pod down to the partition, and shrinks from the last', async () => {
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 1 } };
    const { path, core } = await create('StatefulSet', { replicas: 3, updateStrategy });
    await cluster.eventually(async () => expect((await cluster.get(path)).status.readyReplicas).toBe(3));
    await cluster.patch(path, { spec: { template: template(labels, 'nginx:2') } });
    await cluster.eventually(async () => {
      const pods = await cluster.list(`${core}/pods`);
      expect(pods.map(({ spec }) => spec.containers[0].image)).toEqual(['nginx:1', 'nginx:2', 'nginx:2']);
      expect((await cluster.get(path)).status).toMatchObject({ readyReplicas: 3, currentReplicas: 1, updatedReplicas: 2 });
    });
    await cluster.patch(path, { spec: { replicas: 1 } });
    await cluster.eventually(async () => expect(names(await cluster.list(`${core}/pods`))).toEqual(['db-0']));
  });

  it('does not wait in parallel mode', async () => {
    const never = template(labels, 'nginx:1', { 'simulation.tsukube.dev/ready-seconds': 'never' });
    const parallel = await create('StatefulSet', { replicas: 3, podManagementPolicy: 'Parallel', template: never });
    await cluster.eventually(async () => expect(await cluster.list(`${parallel.core}/pods`)).toHaveLength(3));
    const ordered = await create('StatefulSet', { replicas: 3, template: never });
    await cluster.eventually(async () => expect((await cluster.list(`${ordered.core}/pods`))[0]?.status.phase).toBe('Running'));
    expect(names(await cluster.list(`${ordered.core}/pods`))).toEqual(['db-0']);
  });
});

describe('a DaemonSet', () => {
  it('runs a pod on every node, and follows updates', async () => {
    const { path, core, apps } = await create('DaemonSet', {});
    const status = {
      currentNumberScheduled: 3,
      desiredNumberScheduled: 3,
      numberAvailable: 3,
      numberMisscheduled: 0,
      numberReady: 3,
      updatedNumberScheduled: 3,
    };
    await cluster.eventually(async () => expect((await cluster.get(path)).status).toEqual({ ...status, observedGeneration: 1 }));
    const pods = await cluster.list(`${core}/pods`);
    expect(pods.map(({ spec }) => spec.nodeName).sort()).toEqual(['node-0', 'node-1', 'node-2']);
    expect(pods[0].metadata.labels).toMatchObject({
      'controller-revision-hash': expect.any(String),
      'pod-template-generation': '1',
    });
    expect(pods[0].spec.tolerations).toContainEqual({
      key: 'node.kubernetes.io/unschedulable',
      operator: 'Exists',
      effect: 'NoSchedule',
    });
    await cluster.patch(path, { spec: { template: template(labels, 'nginx:2') } });
    await cluster.eventually(async () => expect((await cluster.get(path)).status).toEqual({ ...status, observedGeneration: 2 }));
    expect((await cluster.list(`${core}/pods`)).map(({ spec }) => spec.containers[0].image)).toEqual([
      'nginx:2',
      'nginx:2',
      'nginx:2',
    ]);
    expect(await cluster.list(`${apps}/controllerrevisions`)).toHaveLength(2);
  });

  it('keeps to its node selector', async () => {
    await cluster.patch('/api/v1/nodes/node-1', { metadata: { labels: { disk: 'ssd' } } });
    const { core } = await create('DaemonSet', {
      template: { metadata: { labels }, spec: { ...template(labels).spec, nodeSelector: { disk: 'ssd' } } },
    });
    await cluster.eventually(async () => {
      expect((await cluster.list(`${core}/pods`)).map(({ spec }) => spec.nodeName)).toEqual(['node-1']);
    });
    await cluster.patch('/api/v1/nodes/node-1', { metadata: { labels: { disk: null } } });
    await cluster.eventually(async () => expect(await cluster.list(`${core}/pods`)).toEqual([]));
  });
});
