import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clusterOf, podMetrics, podMetricsDefinition, template } from '../server/workloads/simulated-cluster.ts';
import type { Any } from '../support/client.ts';
import { useServer } from '../support/server.ts';

const programs = ['kube-controller-manager', 'kube-scheduler'];
const folder = process.env.KUBERNETES_COMPONENTS;

/** The reason to skip; undefined if the programs are there. */
function missing(): string | undefined {
  if (folder === undefined) return 'KUBERNETES_COMPONENTS does not name a folder';
  const absent = programs.filter((program) => !existsSync(join(folder, program)));
  return absent.length > 0 ? `${folder} has no ${absent.join(' and ')}` : undefined;
}

const reason = missing();
if (reason) console.warn(`${reason}: the tests with kube-controller-manager and kube-scheduler are skipped`);

const labels = { app: 'web' };

describe.skipIf(reason)('kube-controller-manager and kube-scheduler', () => {
  // All controllers are those of kube-controller-manager.
  const under = useServer({ controllers: [], simulateNodes: 3 });
  const cluster = clusterOf(under, 60_000);
  const files = mkdtempSync(join(tmpdir(), 'tsukube-components-'));
  const running: ChildProcess[] = [];
  beforeAll(async () => {
    const kubeconfig = join(files, 'kubeconfig');
    writeFileSync(kubeconfig, under.server.kubeconfig, { mode: 0o600 });
    for (const program of programs) {
      const args = ['--kubeconfig', kubeconfig, '--secure-port=0'];
      running.push(
        spawn(join(folder as string, program), args, {
          stdio: ['ignore', 'ignore', process.env.COMPONENTS_LOG ? 'inherit' : 'ignore'],
        }),
      );
    }
    await cluster.eventually(async () => {
      const nodes = await cluster.list('/api/v1/nodes');
      expect(nodes.filter(({ spec }) => spec.taints === undefined)).toHaveLength(3);
      await cluster.get('/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler');
    });
  }, 120_000);
  afterAll(() => {
    for (const child of running) child.kill();
    rmSync(files, { recursive: true, force: true });
  });

  const workload = (kind: string, spec: object) => ({
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: 'web' },
    spec: { replicas: 3, selector: { matchLabels: labels }, template: template(labels), ...spec },
  });
  const images = (pods: Any[]) => pods.map(({ spec }) => spec.containers[0].image);
  const rolledOut = (path: string, replicas: number, revision: string) =>
    cluster.eventually(async () => {
      const { metadata, status } = await cluster.get(path);
      expect(status).toMatchObject({
        observedGeneration: metadata.generation,
        replicas,
        updatedReplicas: replicas,
        availableReplicas: replicas,
      });
      expect(metadata.annotations['deployment.kubernetes.io/revision']).toBe(revision);
    });

  it('a Deployment rolls out, rolls back, scales and is garbage-collected', async () => {
    const namespace = await cluster.namespace();
    const base = `/apis/apps/v1/namespaces/${namespace}`;
    const pods = `/api/v1/namespaces/${namespace}/pods`;
    const path = `${base}/deployments/web`;
    await cluster.create(`${base}/deployments`, workload('Deployment', {}));
    await rolledOut(path, 3, '1');
    await cluster.patch(path, { spec: { template: template(labels, 'nginx:2') } });
    await rolledOut(path, 3, '2');
    await cluster.patch(path, { spec: { template: template(labels, 'nginx:1') } });
    await rolledOut(path, 3, '3');
    await cluster.patch(`${path}/scale`, { spec: { replicas: 5 } });
    await rolledOut(path, 5, '3');
    await cluster.eventually(async () => expect(images(await cluster.list(pods))).toEqual(Array(5).fill('nginx:1')));
    await cluster.delete(path);
    await cluster.eventually(async () => {
      expect(await cluster.list(`${base}/replicasets`)).toEqual([]);
      expect(await cluster.list(pods)).toEqual([]);
    });
  }, 120_000);

  it('a Job completes', async () => {
    const namespace = await cluster.namespace();
    const pod = template({});
    const spec = { completions: 2, template: { ...pod, spec: { ...pod.spec, restartPolicy: 'Never' } } };
    const path = `/apis/batch/v1/namespaces/${namespace}/jobs`;
    await cluster.create(path, { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'work' }, spec });
    await cluster.eventually(async () => {
      const { status } = await cluster.get(`${path}/work`);
      expect(status).toMatchObject({ succeeded: 2, completionTime: expect.any(String) });
    });
  }, 120_000);

  it('a StatefulSet orders its pods', async () => {
    const namespace = await cluster.namespace();
    const base = `/apis/apps/v1/namespaces/${namespace}/statefulsets`;
    await cluster.create(base, workload('StatefulSet', { serviceName: 'web' }));
    await cluster.eventually(async () => expect((await cluster.get(`${base}/web`)).status.availableReplicas).toBe(3));
    const pods = await cluster.list(`/api/v1/namespaces/${namespace}/pods`);
    expect(pods.map(({ metadata }) => metadata.name)).toEqual(['web-0', 'web-1', 'web-2']);
    const at = (type: string, pod: Any) =>
      pod.status.conditions.find((condition: Any) => condition.type === type).lastTransitionTime;
    for (const i of [1, 2]) expect(pods[i].metadata.creationTimestamp >= at('Ready', pods[i - 1])).toBe(true);
  }, 120_000);

  it('a HorizontalPodAutoscaler reads metrics', async () => {
    const namespace = await cluster.namespace();
    const apps = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    const containers = [{ name: 'web', image: 'nginx:1', resources: { requests: { cpu: '100m' } } }];
    await cluster.create(apps, workload('Deployment', { replicas: 2, template: { metadata: { labels }, spec: { containers } } }));
    await rolledOut(`${apps}/web`, 2, '1');
    await cluster.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', podMetricsDefinition);
    const metrics = `/apis/metrics.k8s.io/v1beta1/namespaces/${namespace}/pods`;
    await cluster.eventually(() => cluster.list(metrics));
    for (const { metadata } of await cluster.list(`/api/v1/namespaces/${namespace}/pods`)) {
      await cluster.create(metrics, podMetrics(metadata.name, labels, '150m'));
    }
    const target = { type: 'Utilization', averageUtilization: 100 };
    const spec = {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      maxReplicas: 5,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }],
    };
    const path = `/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers`;
    await cluster.create(path, {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'web' },
      spec,
    });
    await rolledOut(`${apps}/web`, 3, '1');
    const { status } = await cluster.get(`${path}/web`);
    expect(status.conditions).toContainEqual(expect.objectContaining({ type: 'ScalingActive', reason: 'ValidMetricFound' }));
  }, 120_000);
});
