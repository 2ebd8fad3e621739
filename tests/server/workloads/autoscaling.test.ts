import { describe, expect, it } from 'vitest';
import { podMetrics, podMetricsDefinition, useSimulatedCluster } from './simulated-cluster.ts';

const cluster = useSimulatedCluster();

describe('a HorizontalPodAutoscaler', () => {
  it('scales by the metrics of metrics.k8s.io', async () => {
    const namespace = await cluster.namespace();
    const apps = `/apis/apps/v1/namespaces/${namespace}`;
    const labels = { app: 'web' };
    const containers = [{ name: 'web', image: 'nginx', resources: { requests: { cpu: '100m' } } }];
    const spec = { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } };
    await cluster.create(`${apps}/deployments`, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec });
    const pods = await cluster.eventually(async () => {
      const items = await cluster.list(`/api/v1/namespaces/${namespace}/pods`);
      expect(items.filter(({ status }) => status.phase === 'Running')).toHaveLength(2);
      return items;
    });
    await cluster.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', podMetricsDefinition);
    const metrics = `/apis/metrics.k8s.io/v1beta1/namespaces/${namespace}/pods`;
    await cluster.eventually(() => cluster.list(metrics));
    for (const { metadata } of pods) await cluster.create(metrics, podMetrics(metadata.name, labels, '150m'));
    const target = { type: 'Utilization', averageUtilization: 100 };
    const autoscaler = {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      minReplicas: 1,
      maxReplicas: 5,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }],
    };
    const path = `/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers`;
    await cluster.create(path, {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'web' },
      spec: autoscaler,
    });
    await cluster.eventually(async () => {
      const { status } = await cluster.get(`${path}/web`);
      expect(status).toMatchObject({ currentReplicas: 2, desiredReplicas: 3 });
      expect(status.currentMetrics).toEqual([
        { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 150, averageValue: '150m' } } },
      ]);
      const conditions = status.conditions.map(
        ({ type, status: value, reason }: Record<string, string>) => `${type}=${value} ${reason}`,
      );
      expect(conditions).toEqual([
        'AbleToScale=True SucceededRescale',
        'ScalingActive=True ValidMetricFound',
        'ScalingLimited=False DesiredWithinRange',
      ]);
    });
    await cluster.eventually(async () => expect((await cluster.get(`${apps}/deployments/web`)).status.readyReplicas).toBe(3));
  });
});
