import { describe, expect, it } from 'vitest';
import { template, useSimulatedCluster } from './simulated-cluster.ts';

const cluster = useSimulatedCluster();
const labels = { app: 'web' };

async function deploy(spec: object = {}) {
  const namespace = await cluster.namespace();
  const base = `/apis/apps/v1/namespaces/${namespace}`;
  const metadata = { name: 'web', annotations: { team: 'a' } };
  const whole = { replicas: 3, selector: { matchLabels: labels }, template: template(labels), ...spec };
  await cluster.create(`${base}/deployments`, { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: whole });
  return { namespace, base, path: `${base}/deployments/web`, pods: `/api/v1/namespaces/${namespace}/pods` };
}

/** Resolves to the Deployment when a rollout is complete. */
function rolledOut(path: string, replicas = 3) {
  return cluster.eventually(async () => {
    const deployment = await cluster.get(path);
    expect(deployment.status).toMatchObject({
      observedGeneration: deployment.metadata.generation,
      replicas,
      updatedReplicas: replicas,
      availableReplicas: replicas,
    });
    expect(deployment.status.conditions).toContainEqual(expect.objectContaining({ reason: 'NewReplicaSetAvailable' }));
    return deployment;
  });
}

describe('a Deployment', () => {
  it('becomes ready, with the objects of kube-controller-manager', async () => {
    const { path, base, pods } = await deploy();
    const deployment = await rolledOut(path);
    expect(deployment.metadata.annotations['deployment.kubernetes.io/revision']).toBe('1');
    const [set] = await cluster.list(`${base}/replicasets`);
    const hash = set.metadata.labels['pod-template-hash'];
    expect(set.metadata).toMatchObject({
      name: `web-${hash}`,
      labels: { app: 'web', 'pod-template-hash': hash },
      annotations: {
        team: 'a',
        'deployment.kubernetes.io/desired-replicas': '3',
        'deployment.kubernetes.io/max-replicas': '4',
        'deployment.kubernetes.io/revision': '1',
      },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          name: 'web',
          uid: deployment.metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    });
    expect(set.spec.selector.matchLabels).toEqual({ app: 'web', 'pod-template-hash': hash });
    expect(set.status).toEqual({
      replicas: 3,
      fullyLabeledReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      terminatingReplicas: 0,
      observedGeneration: 1,
    });
    const items = await cluster.list(pods);
    expect(items).toHaveLength(3);
    for (const pod of items) {
      expect(pod.metadata.generateName).toBe(`web-${hash}-`);
      expect(pod.metadata.labels).toEqual({ app: 'web', 'pod-template-hash': hash });
      expect(pod.metadata.ownerReferences[0]).toMatchObject({ kind: 'ReplicaSet', name: set.metadata.name, controller: true });
      expect(pod.status).toMatchObject({ phase: 'Running', podIP: expect.stringMatching(/^10\.64\./) });
    }
    // Least allocated: one pod on each node.
    expect(new Set(items.map(({ spec }) => spec.nodeName)).size).toBe(3);
  });

  it('rolls out, rolls back and remembers revisions', async () => {
    const { path, base } = await deploy();
    await rolledOut(path);
    await cluster.patch(path, { spec: { template: template(labels, 'nginx:2') } });
    const second = await rolledOut(path);
    expect(second.metadata.annotations['deployment.kubernetes.io/revision']).toBe('2');
    await cluster.patch(path, { spec: { template: template(labels, 'nginx:1') } });
    await cluster.eventually(async () => {
      const sets = await cluster.list(`${base}/replicasets`);
      const images = sets.map(({ spec }) => [spec.template.spec.containers[0].image, spec.replicas]).sort();
      expect(images).toEqual([
        ['nginx:1', 3],
        ['nginx:2', 0],
      ]);
      const current = sets.find(({ spec }) => spec.replicas === 3);
      expect(current.metadata.annotations).toMatchObject({
        'deployment.kubernetes.io/revision': '3',
        'deployment.kubernetes.io/revision-history': '1',
      });
    });
  });

  it('scales, keeping the revision', async () => {
    const { path, base, pods } = await deploy();
    await rolledOut(path);
    await cluster.patch(`${path}/scale`, { spec: { replicas: 5 } });
    const grown = await rolledOut(path, 5);
    expect(grown.metadata.annotations['deployment.kubernetes.io/revision']).toBe('1');
    await cluster.patch(`${path}/scale`, { spec: { replicas: 1 } });
    await rolledOut(path, 1);
    await cluster.eventually(async () => expect(await cluster.list(pods)).toHaveLength(1));
    const [set] = await cluster.list(`${base}/replicasets`);
    expect(set.metadata.annotations['deployment.kubernetes.io/desired-replicas']).toBe('1');
  });

  it('never has fewer available pods than maxUnavailable allows', async () => {
    const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
    const slow = template(labels, 'nginx:2', { 'simulation.tsukube.dev/ready-seconds': 'never' });
    const { path, pods } = await deploy({ strategy });
    await rolledOut(path);
    await cluster.patch(path, { spec: { template: slow } });
    await cluster.eventually(async () => expect(await cluster.list(pods)).toHaveLength(4));
    const { status } = await cluster.eventually(async () => {
      const deployment = await cluster.get(path);
      expect(deployment.status.unavailableReplicas).toBe(1);
      return deployment;
    });
    expect(status).toMatchObject({ replicas: 4, updatedReplicas: 1, availableReplicas: 3 });
  });

  it('is paused and resumed', async () => {
    const { path, base } = await deploy();
    await rolledOut(path);
    await cluster.patch(path, { spec: { paused: true, template: template(labels, 'nginx:2') } });
    await cluster.eventually(async () => {
      const { status } = await cluster.get(path);
      expect(status.conditions).toContainEqual(
        expect.objectContaining({
          type: 'Progressing',
          status: 'Unknown',
          reason: 'DeploymentPaused',
          message: 'Deployment is paused',
        }),
      );
    });
    expect(await cluster.list(`${base}/replicasets`)).toHaveLength(1);
    await cluster.patch(path, { spec: { paused: false } });
    await rolledOut(path);
    expect(await cluster.list(`${base}/replicasets`)).toHaveLength(2);
  });

  it('with the strategy Recreate stops old pods before it starts new ones', async () => {
    const stopsSlowly = template(labels, 'nginx:1', { 'simulation.tsukube.dev/stop-seconds': '1' });
    const { path, pods } = await deploy({ strategy: { type: 'Recreate' }, template: stopsSlowly });
    await rolledOut(path);
    await cluster.patch(path, { spec: { template: template(labels, 'nginx:2') } });
    const imagesAtATime = new Set<number>();
    await cluster.eventually(async () => {
      const images = (await cluster.list(pods)).map(({ spec }) => spec.containers[0].image);
      imagesAtATime.add(new Set(images).size);
      expect(images).toEqual(['nginx:2', 'nginx:2', 'nginx:2']);
    });
    expect(Math.max(...imagesAtATime)).toBe(1);
    await rolledOut(path);
  });

  it('reports pods that cannot be created', async () => {
    const { path } = await deploy({
      template: { ...template(labels), spec: { ...template(labels).spec, serviceAccountName: 'none' } },
    });
    await cluster.eventually(async () => {
      const { status } = await cluster.get(path);
      const failure = status.conditions.find(({ type }: { type: string }) => type === 'ReplicaFailure');
      expect(failure).toMatchObject({ status: 'True', reason: 'FailedCreate' });
      expect(failure.message).toContain('service account');
    });
  });

  it('exceeds its progress deadline', async () => {
    const pending = template(labels, 'nginx:1', { 'simulation.tsukube.dev/pending': 'ImagePullBackOff' });
    const { path } = await deploy({ progressDeadlineSeconds: 1, minReadySeconds: 0, template: pending });
    await cluster.eventually(async () => {
      const { status } = await cluster.get(path);
      expect(status.conditions).toContainEqual(
        expect.objectContaining({ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }),
      );
    });
  });
});
