import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeClient } from '@tsukube/client';
import { type RunningCustomMetricsServer, startCustomMetricsServer } from '@tsukube/custom-metrics-server';
import { type RunningMetricsServer, startMetricsServer } from '@tsukube/metrics-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clusterOf } from '../server/workloads/simulated-cluster.ts';
import type { Any } from '../support/client.ts';
import { useServer } from '../support/server.ts';
import { kubeletCa, report, type StandInKubelet, startKubelet } from './stand-in-kubelets.ts';

const program = join(process.env.KUBERNETES_COMPONENTS ?? '', 'kube-controller-manager');
const isThere = process.env.KUBERNETES_COMPONENTS !== undefined && existsSync(program);
if (!isThere) console.warn('KUBERNETES_COMPONENTS has no kube-controller-manager: the tests of autoscaling are skipped');

const silent = { debug() {}, info() {}, warn() {}, error() {}, enabled: () => false, child: () => silent };

describe.skipIf(!isThere)('a HorizontalPodAutoscaler of kube-controller-manager', () => {
  // Pods are scheduled and started by the simulation; Deployments and autoscalers are those of kube-controller-manager.
  const under = useServer({ controllers: [], simulateNodes: 1 });
  const cluster = clusterOf(under, 90_000);
  const folder = mkdtempSync(join(tmpdir(), 'tsukube-autoscaling-'));
  let kubelet: StandInKubelet;
  let manager: ChildProcess;
  let scheduler: ChildProcess;
  let metrics: RunningMetricsServer;
  let custom: RunningCustomMetricsServer;
  let direct: KubeClient;
  let pods: string[] = [];
  let cores = 0.05;

  beforeAll(async () => {
    kubelet = await startKubelet((_, response, seconds) => response.end(report({ pods, containerCores: cores }, seconds)));
    const { kubeconfig } = under.server;
    const file = join(folder, 'kubeconfig');
    writeFileSync(file, kubeconfig, { mode: 0o600 });
    const fast = ['--horizontal-pod-autoscaler-sync-period=1s', '--horizontal-pod-autoscaler-initial-readiness-delay=1s'];
    const quick = ['--horizontal-pod-autoscaler-cpu-initialization-period=1s', '--concurrent-horizontal-pod-autoscaler-syncs=2'];
    const common = ['--kubeconfig', file, '--secure-port=0', '--leader-elect=false'];
    const stdio = process.env.COMPONENTS_LOG ? 'inherit' : 'ignore';
    manager = spawn(program, [...common, ...fast, ...quick], { stdio: ['ignore', 'ignore', stdio] });
    scheduler = spawn(join(process.env.KUBERNETES_COMPONENTS as string, 'kube-scheduler'), common, {
      stdio: ['ignore', 'ignore', stdio],
    });
    const serving = { kubeconfig, host: '127.0.0.1', port: 0, logger: silent } as const;
    metrics = await startMetricsServer({
      ...serving,
      resolutionMs: 2_000,
      kubelet: { ca: kubeletCa, port: kubelet.port, useNodeStatusPort: false, addressTypes: ['ExternalIP'] },
    });
    custom = await startCustomMetricsServer({ ...serving, provider: 'written' });
    await Promise.all([metrics.available(), custom.available()]);
    const main = await KubeClient.load({ kubeconfig });
    direct = new KubeClient({ ...main.config, server: custom.url, ca: custom.ca }, { rateLimit: false });
    main.close();
    await addAddress();
  }, 180_000);
  afterAll(async () => {
    manager?.kill();
    scheduler?.kill();
    direct?.close();
    await custom?.close();
    await metrics?.close();
    await kubelet?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The stand-in kubelet is that of the simulated node. */
  async function addAddress(): Promise<void> {
    await cluster.eventually(async () => {
      const [node] = await cluster.list('/api/v1/nodes');
      const status = { addresses: [...(node?.status.addresses ?? []), { type: 'ExternalIP', address: '127.0.0.1' }] };
      await cluster.patch(`/api/v1/nodes/${node?.metadata.name}/status`, { status });
    });
  }

  async function deployed(name: string): Promise<{ namespace: string; scaled: (replicas: number) => Promise<Any> }> {
    const namespace = await cluster.namespace();
    const labels = { app: name };
    const containers = ['main', 'side'].map((each) => ({ name: each, image: 'nginx', resources: { requests: { cpu: '100m' } } }));
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    await cluster.create(path, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name },
      spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
    });
    const scaled = (replicas: number) =>
      cluster.eventually(async () => {
        const found = await cluster.list(`/api/v1/namespaces/${namespace}/pods`);
        pods = found.map(({ metadata }) => `${namespace}/${metadata.name}`);
        const { status } = await cluster.get(`${path}/${name}`);
        expect(status.readyReplicas).toBe(replicas);
        return found;
      });
    await scaled(1);
    return { namespace, scaled };
  }

  const autoscale = (namespace: string, name: string, metric: object) =>
    cluster.create(`/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers`, {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name },
      spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name }, maxReplicas: 3, metrics: [metric] },
    });

  it('scales on the resource metric', async () => {
    const { namespace, scaled } = await deployed('web');
    cores = 0.09;
    await autoscale(namespace, 'web', {
      type: 'Resource',
      resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
    });
    await scaled(2);
    const { status } = await cluster.get(`/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers/web`);
    expect(status.conditions).toContainEqual(expect.objectContaining({ type: 'ScalingActive', reason: 'ValidMetricFound' }));
  }, 180_000);

  it('scales on a custom metric of pods', async () => {
    const { namespace, scaled } = await deployed('queue');
    const [pod] = await scaled(1);
    await direct.json({
      method: 'POST',
      path: `/write-metrics/namespaces/${namespace}/pods/${pod.metadata.name}/backlog`,
      body: '"30"',
    });
    await autoscale(namespace, 'queue', {
      type: 'Pods',
      pods: { metric: { name: 'backlog' }, target: { type: 'AverageValue', averageValue: '10' } },
    });
    await scaled(3);
  }, 180_000);

  it('scales on an external metric', async () => {
    const { namespace, scaled } = await deployed('mail');
    await direct.json({ method: 'POST', path: `/write-metrics/external/namespaces/${namespace}/letters`, body: '"20"' });
    await autoscale(namespace, 'mail', {
      type: 'External',
      external: { metric: { name: 'letters' }, target: { type: 'AverageValue', averageValue: '10' } },
    });
    await scaled(2);
  }, 180_000);
});
