import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KubeClient } from '@tsukube/client';
import { type RunningCustomMetricsServer, startCustomMetricsServer } from '@tsukube/custom-metrics-server';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Any } from '../support/client.ts';
import { useServer } from '../support/server.ts';
import { createNode, createPod } from './stand-in-kubelets.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {}, enabled: () => false, child: () => silent };
const custom = '/apis/custom.metrics.k8s.io/v1beta2';
const external = '/apis/external.metrics.k8s.io/v1beta1';

describe('with the write API', () => {
  const under = useServer();
  let server: RunningCustomMetricsServer;
  let direct: KubeClient;
  const get = (path: string, headers: Record<string, string> = {}) => under.client.send('GET', path, undefined, headers);
  const write = (path: string, value: unknown) =>
    direct.json({ method: 'POST', path: `/write-metrics/${path}`, body: JSON.stringify(value) });

  beforeAll(async () => {
    const { kubeconfig } = under.server;
    server = await startCustomMetricsServer({ provider: 'written', kubeconfig, host: '127.0.0.1', port: 0, logger: silent });
    await server.available();
    const main = await KubeClient.load({ kubeconfig });
    direct = new KubeClient({ ...main.config, server: server.url, ca: server.ca }, { retry: { limit: 0 } });
    main.close();
    await createNode(under.client, 'n1', 1);
    await createPod(under.client, 'default/a', 'n1', { app: 'web' });
    await createPod(under.client, 'default/b', 'n1', { app: 'web' });
    await createPod(under.client, 'default/c', 'n1', { app: 'db' });
    await write('namespaces/default/pods/a/requests?labels=path=home', '1500m');
    await write('namespaces/default/pods/b/requests?labels=path=cart', 3);
    await write('namespaces/default/pods/c/requests', 7);
    await write('namespaces/default/deployments.apps/web/queue', '2k');
    await write('nodes/n1/temperature', 40);
    await write('namespaces/default/metrics/budget', '10');
    await write('external/namespaces/default/backlog?labels=queue=mail', 5);
    await write('external/namespaces/default/backlog?labels=queue=print', 6);
  });
  afterAll(async () => {
    direct?.close();
    await server?.close();
  });

  it('serves the metric of an object in both versions', async () => {
    const describedObject = { kind: 'Pod', namespace: 'default', name: 'a', apiVersion: 'v1' };
    const timestamp = expect.stringMatching(/^\d{4}-.*:\d\dZ$/);
    expect((await get(`${custom}/namespaces/default/pods/a/requests`)).body).toEqual({
      kind: 'MetricValueList',
      apiVersion: 'custom.metrics.k8s.io/v1beta2',
      metadata: {},
      items: [{ describedObject, metric: { name: 'requests', selector: null }, timestamp, value: '1500m' }],
    });
    expect((await get('/apis/custom.metrics.k8s.io/v1beta1/namespaces/default/pods/a/requests')).body.items).toEqual([
      { describedObject, metricName: 'requests', timestamp, value: '1500m', selector: null },
    ]);
  });

  const values = async (path: string) =>
    (await get(path)).body.items.map(
      ({ describedObject, value }: Any) => `${describedObject.kind}/${describedObject.name} ${value}`,
    );

  it.each([
    ['all objects', '/namespaces/default/pods/*/requests', ['Pod/a 1500m', 'Pod/b 3', 'Pod/c 7']],
    ['objects by label', '/namespaces/default/pods/*/requests?labelSelector=app%3Dweb', ['Pod/a 1500m', 'Pod/b 3']],
    ['series by label', '/namespaces/default/pods/*/requests?metricLabelSelector=path%3Dcart', ['Pod/b 3']],
    ['series without a label', '/namespaces/default/pods/*/requests?metricLabelSelector=!path', ['Pod/c 7']],
    ['no objects', '/namespaces/default/pods/*/requests?labelSelector=app%3Dnone', []],
    ['no values', '/namespaces/default/pods/*/nothing', []],
    ['another group', '/namespaces/default/deployments.apps/web/queue', ['Deployment/web 2k']],
    ['a node', '/nodes/n1/temperature', ['Node/n1 40']],
    ['all nodes', '/nodes/*/temperature', ['Node/n1 40']],
    ['a namespace', '/namespaces/default/metrics/budget', ['Namespace/default 10']],
  ])('%s', async (_, path, expected) => {
    expect(await values(`${custom}${path}`)).toEqual(expected);
  });

  it('echoes the selector', async () => {
    const { body } = await get(
      `${custom}/namespaces/default/pods/a/requests?metricLabelSelector=path%3Dhome,path%20in%20(home,x)`,
    );
    expect(body.items[0].metric.selector).toEqual({
      matchLabels: { path: 'home' },
      matchExpressions: [{ key: 'path', operator: 'In', values: ['home', 'x'] }],
    });
  });

  it.each([
    ['namespaces/default/pods/a/nothing', 'the server could not find the metric nothing for pods a'],
    [
      'namespaces/default/pods/a/requests?metricLabelSelector=path%3Dx',
      'the server could not find the metric requests for pods a with selector path=x',
    ],
    ['namespaces/default/unicorns/a/requests', 'the server could not find the metric requests for unicorns a'],
    ['pods/a/requests', 'the server could not find the metric requests for pods a'],
    ['pods/a', 'the server could not find the requested resource'],
  ])('%s is not found', async (path, message) => {
    const { status, body } = await get(`${custom}/${path}`);
    expect([status, body.message]).toEqual([404, message]);
  });

  it.each([
    'namespaces/default/pods/a/requests?metricLabelSelector=%3D%3D',
    'namespaces/default/pods/*/requests?labelSelector=a%20b',
  ])('%s is a bad request', async (path) => expect((await get(`${custom}/${path}`)).status).toBe(400));

  it('serves external metrics', async () => {
    const { body } = await get(`${external}/namespaces/default/backlog?labelSelector=queue%3Dmail`);
    expect(body).toMatchObject({
      kind: 'ExternalMetricValueList',
      apiVersion: 'external.metrics.k8s.io/v1beta1',
      items: [{ metricName: 'backlog', metricLabels: { queue: 'mail' }, value: '5' }],
    });
    expect((await get(`${external}/namespaces/default/backlog`)).body.items).toHaveLength(2);
    expect((await get(`${external}/namespaces/other/backlog`)).body.items).toEqual([]);
  });

  it('lists metrics in discovery, in both forms', async () => {
    const listed = async (path: string) =>
      (await get(path)).body.resources.map(({ name, namespaced }: Any) => [name, namespaced]);
    expect(await listed(custom)).toEqual([
      ['pods/requests', true],
      ['deployments.apps/queue', true],
      ['nodes/temperature', false],
      ['namespaces/budget', false],
    ]);
    expect(await listed(external)).toEqual([['backlog', true]]);
    const groups = await direct.json<Any>({
      method: 'GET',
      path: '/apis',
      headers: { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' },
    });
    expect(groups.items.map(({ metadata }: Any) => metadata.name)).toEqual(['custom.metrics.k8s.io', 'external.metrics.k8s.io']);
    expect(groups.items[0].versions[0].resources[0]).toMatchObject({
      resource: 'pods',
      scope: 'Namespaced',
      subresources: [{ subresource: 'requests', verbs: ['get'] }],
    });
  });

  it('refuses writes of anything but quantities', async () => {
    await expect(write('namespaces/default/pods/a/requests', 'many')).rejects.toThrow('the body must be a quantity in JSON');
    await expect(write('namespaces/default/pods/a/requests', {})).rejects.toThrow('the body must be a quantity in JSON');
    await expect(write('namespaces/default/unicorns/a/requests', 1)).rejects.toThrow('no resource unicorns');
    await expect(write('nonsense', 1)).rejects.toThrow('could not find');
    expect((await under.client.send('POST', `${custom}/namespaces/default/pods/a/requests`, {})).status).toBe(405);
  });

  it('rejects unauthenticated clients', async () => {
    const stranger = new KubeClient({ server: server.url, ca: server.ca }, { retry: { limit: 0 } });
    for (const path of ['/write-metrics/nodes/n1/temperature', '/metrics', `${custom}/nodes/n1/temperature`])
      await expect(stranger.json({ method: 'GET', path })).rejects.toMatchObject({ code: 403 });
    stranger.close();
    expect(await direct.text({ method: 'GET', path: '/metrics' })).toContain(
      'custom_metrics_server_requests_total{api="custom"}',
    );
    expect(await direct.text({ method: 'GET', path: '/readyz' })).toBe('ok');
  });
});

const rules = `
rules:
- seriesQuery: '{__name__=~"^http_.*",namespace!="",pod!=""}'
  seriesFilters: [{isNot: "_bucket$"}]
  resources:
    overrides: {namespace: {resource: namespace}, pod: {resource: pod}}
  name: {matches: "^(.*)_total$", as: "\${1}_per_second"}
  metricsQuery: 'sum(rate(<<.Series>>{<<.LabelMatchers>>}[2m])) by (<<.GroupBy>>)'
externalRules:
- seriesQuery: 'queue_depth'
  metricsQuery: 'sum(<<.Series>>{<<.LabelMatchers>>}) by (queue)'
`;

describe('with Prometheus', () => {
  const under = useServer();
  const queries: string[] = [];
  let prometheus: Server;
  let server: RunningCustomMetricsServer;
  let failure: { status: number; body: string } | undefined;
  const get = (path: string) => under.client.send('GET', path);

  beforeAll(async () => {
    const series = [
      { __name__: 'http_requests_total', namespace: 'default', pod: 'a', path: '/' },
      { __name__: 'http_requests_bucket', namespace: 'default', pod: 'a' },
    ];
    const sample = (metric: object, value: string) => ({ metric, value: [1700000000.5, value] });
    prometheus = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        if (failure) return response.writeHead(failure.status).end(failure.body);
        const parameters = new URLSearchParams(body);
        const answer = (data: unknown) => response.end(JSON.stringify({ status: 'success', data }));
        if (request.url === '/api/v1/series')
          return answer(parameters.get('match[]')?.includes('queue') ? [{ __name__: 'queue_depth', queue: 'mail' }] : series);
        const query = parameters.get('query') ?? '';
        queries.push(query);
        const result = query.includes('queue')
          ? [sample({ queue: 'mail' }, '12')]
          : [sample({ pod: 'a' }, '1.2345'), sample({ pod: 'b' }, 'NaN'), sample({ pod: 'stranger' }, '9')];
        answer({ resultType: 'vector', result });
      });
    });
    await new Promise<void>((resolve) => prometheus.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(prometheus.address() as AddressInfo).port}/`;
    const { kubeconfig } = under.server;
    const provider = { prometheus: { url }, rules };
    server = await startCustomMetricsServer({ provider, kubeconfig, host: '127.0.0.1', port: 0, logger: silent });
    await server.available();
    await createNode(under.client, 'n1', 1);
    for (const pod of ['a', 'b']) await createPod(under.client, `default/${pod}`, 'n1', { app: 'web' });
    await vi.waitFor(async () => expect((await get(custom)).body.resources).toHaveLength(2), { timeout: 10_000, interval: 50 });
  });
  afterAll(async () => {
    await server?.close();
    prometheus.close();
  });

  it('makes metrics of series by rules', async () => {
    expect((await get(custom)).body.resources.map(({ name }: Any) => name)).toEqual([
      'namespaces/http_requests_per_second',
      'pods/http_requests_per_second',
    ]);
    expect((await get(external)).body.resources.map(({ name }: Any) => name)).toEqual(['queue_depth']);
  });

  it('queries for the objects asked for', async () => {
    queries.length = 0;
    const path = `${custom}/namespaces/default/pods/*/http_requests_per_second?metricLabelSelector=path%20in%20(x.y),!z`;
    const { body } = await get(path);
    expect(body.items).toMatchObject([{ describedObject: { name: 'a' }, value: '1234m', timestamp: '2023-11-14T22:13:20Z' }]);
    expect(body.items).toHaveLength(1);
    expect(queries).toEqual(['sum(rate(http_requests_total{namespace="default",pod=~"a|b",path="x.y",z=""}[2m])) by (pod)']);
  });

  it('queries for external metrics', async () => {
    queries.length = 0;
    const { body } = await get(`${external}/namespaces/default/queue_depth?labelSelector=queue%3Dmail`);
    expect(body.items).toMatchObject([{ metricLabels: { queue: 'mail' }, value: '12' }]);
    expect(queries).toEqual(['sum(queue_depth{namespace="default",queue="mail"}) by (queue)']);
    expect((await get(`${external}/namespaces/default/unknown`)).status).toBe(404);
  });

  it.each([
    ['an error', { status: 422, body: '{"status":"error","error":"secret query"}' }],
    ['no JSON', { status: 502, body: '<html>' }],
  ])('%s of Prometheus is an internal error without its message', async (_, given) => {
    failure = given;
    const { status, text } = await get(`${custom}/namespaces/default/pods/a/http_requests_per_second`);
    failure = undefined;
    expect(status).toBe(500);
    expect(text).not.toContain('secret');
  });
});
