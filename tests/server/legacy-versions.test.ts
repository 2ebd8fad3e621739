import { describe, expect, it } from 'vitest';
import type { Any } from '../support/client.ts';
import { useServer } from '../support/server.ts';

const autoscalers = (version: string) => `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`;
const target = { kind: 'Deployment', name: 'web', apiVersion: 'apps/v1' };

describe('API versions that Kubernetes has removed', () => {
  const t = useServer();

  const create = (name: string, version: string, spec: object) =>
    t.client.send('POST', autoscalers(version), {
      apiVersion: `autoscaling/${version}`,
      kind: 'HorizontalPodAutoscaler',
      metadata: { name },
      spec: { scaleTargetRef: target, maxReplicas: 5, ...spec },
    });
  const metricsIn = async (version: string, name: string): Promise<Any> => {
    const { body } = await t.client.get(`${autoscalers(version)}/${name}`);
    expect(body.apiVersion).toBe(`autoscaling/${version}`);
    return body.spec.metrics;
  };

  it('are served, with a warning', async () => {
    const { status, headers } = await create('warned', 'v2beta1', {});
    expect(status).toBe(201);
    expect(headers.warning).toBe(
      '299 - "autoscaling/v2beta1 HorizontalPodAutoscaler is deprecated in v1.22+, unavailable in v1.25+; use autoscaling/v2 HorizontalPodAutoscaler"',
    );
  });

  it('convert into each other', async () => {
    const written = [{ type: 'Pods', pods: { metricName: 'rps', targetAverageValue: '100' } }];
    const today = [{ type: 'Pods', pods: { metric: { name: 'rps' }, target: { type: 'AverageValue', averageValue: '100' } } }];
    await create('read', 'v2beta1', { metrics: written });
    expect(await metricsIn('v2beta1', 'read')).toEqual(written);
    expect(await metricsIn('v2beta2', 'read')).toEqual(today);
    expect(await metricsIn('v2', 'read')).toEqual(today);
  });

  it('can be patched, and preserve fields that they cannot represent', async () => {
    const behavior = { scaleDown: { stabilizationWindowSeconds: 60 } };
    const created = await create('patched', 'v2', { behavior });
    const patch = { spec: { metrics: [{ type: 'Resource', resource: { name: 'cpu', targetAverageUtilization: 7 } }] } };
    const type = { 'content-type': 'application/merge-patch+json' };
    await t.client.send('PATCH', `${autoscalers('v2beta1')}/patched`, patch, type);
    const { body } = await t.client.get(`${autoscalers('v2')}/patched`);
    expect(body.spec.metrics[0].resource.target).toEqual({ type: 'Utilization', averageUtilization: 7 });
    expect(body.spec.behavior).toEqual(created.body.spec.behavior);
    expect(body.metadata.annotations).toBeUndefined();
  });

  it('can be watched', async () => {
    const watch = await t.client.watch(
      `${autoscalers('v2beta2')}?watch=true&resourceVersion=0&fieldSelector=metadata.name%3Dwatched`,
    );
    await create('watched', 'v2', {});
    const { object } = await watch.next();
    expect([object.apiVersion, object.metadata.name]).toEqual(['autoscaling/v2beta2', 'watched']);
    watch.close();
  });

  it('have the same Table columns as the current versions', async () => {
    const accept = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
    await create('shown', 'v2', {});
    const rows = async (version: string): Promise<Any> => {
      const { body } = await t.client.get(`${autoscalers(version)}?fieldSelector=metadata.name%3Dshown`, accept);
      return { names: body.columnDefinitions.map(({ name }: Any) => name), cells: body.rows[0].cells.slice(0, 6) };
    };
    expect(await rows('v2beta1')).toEqual(await rows('v2'));
  });

  it('come after the current versions in discovery', async () => {
    const { body } = await t.client.get('/apis/autoscaling');
    expect(body.versions.map(({ version }: Any) => version)).toEqual(['v2', 'v1', 'v2beta1', 'v2beta2']);
    expect(body.preferredVersion.version).toBe('v2');
  });
});

describe('--runtime-config=api/legacy=false', () => {
  const t = useServer({ runtimeConfig: { 'api/legacy': false, 'autoscaling/v2beta2': true } });

  it('disables them, except those that are named', async () => {
    const { body } = await t.client.get('/apis/autoscaling');
    expect(body.versions.map(({ version }: Any) => version)).toEqual(['v2', 'v1', 'v2beta2']);
    expect((await t.client.get(autoscalers('v2beta1'))).status).toBe(404);
    expect((await t.client.get(autoscalers('v2beta2'))).status).toBe(200);
    expect((await t.client.get('/apis/batch/v1beta1')).status).toBe(404);
  });
});
