import { type RunningMetricsServer, startMetricsServer } from '@tsukube/metrics-server';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { useServer } from '../support/server.ts';
import {
  type Answer,
  createNode,
  createPod,
  healthy,
  kubeletCa,
  report,
  type StandInKubelet,
  startKubelet,
} from './stand-in-kubelets.ts';

const under = useServer();
const api = '/apis/metrics.k8s.io/v1beta1';
const kubelets: StandInKubelet[] = [];
const logged: string[] = [];
let server: RunningMetricsServer;
let restarts = 0;

/** Nodes whose figures are lost, and why. */
const broken: Record<string, Answer> = {
  slow: () => {},
  stalled: (_, response, seconds) => response.writeHead(200).write(report({}, seconds).slice(0, 100)),
  garbage: (_, response) => response.writeHead(200).end('<html>not a kubelet</html>\n'),
  cut: (_, response) => {
    response.writeHead(200, { 'content-length': 1000 }).write('node_cpu_usage_seconds_total 1\n');
    setTimeout(() => response.destroy(), 20);
  },
  forbidden: (_, response) => response.writeHead(403).end(),
  redirecting: (_, response) => response.writeHead(302, { location: '/metrics' }).end(),
  endless: (_, response) => {
    response.writeHead(200);
    const lines = Buffer.from(`x${'y'.repeat(1000)} 1\n`.repeat(100));
    const timer = setInterval(() => response.write(lines), 20);
    response.once('close', () => clearInterval(timer));
  },
  restarting: (_, response, seconds) => response.writeHead(200).end(report({ since: seconds + 10 * ++restarts - 1000 }, seconds)),
  incomplete: (_, response) => response.writeHead(200).end('node_cpu_usage_seconds_total 1\n'),
};

beforeAll(async () => {
  const { client } = under;
  const start = async (name: string, answer: Answer, options: { badCertificate?: boolean } = {}) => {
    const kubelet = await startKubelet(answer, options);
    kubelets.push(kubelet);
    await createNode(client, name, kubelet.port, { kind: name });
  };
  await start('good', healthy({ pods: ['default/web', 'kube-system/dns', 'default/unknown'] }));
  await start('idle', healthy({ nodeCores: 0.001 }));
  for (const [name, answer] of Object.entries(broken)) await start(name, answer);
  await start('bad-certificate', healthy(), { badCertificate: true });
  await createNode(client, 'down', 1);
  await createPod(client, 'default/web', 'good', { app: 'web' });
  await createPod(client, 'kube-system/dns', 'good', { app: 'dns' });
  await createPod(client, 'default/unscraped', 'down');
  const log = (message: string, fields = {}) => void logged.push(JSON.stringify({ message, ...fields }));
  const logger = { debug() {}, info() {}, warn: log, error: log, enabled: () => true, child: () => logger };
  server = await startMetricsServer({
    kubeconfig: under.server.kubeconfig,
    host: '127.0.0.1',
    port: 0,
    resolutionMs: 2_000,
    kubelet: { ca: kubeletCa, requestTimeoutMs: 1_500 },
    logger,
  });
  await server.available();
  for (const path of ['nodes/good', 'nodes/idle', 'namespaces/default/pods/web', 'namespaces/kube-system/pods/dns'])
    await vi.waitFor(async () => expect((await get(`${api}/${path}`)).status).toBe(200), { timeout: 40_000, interval: 50 });
}, 90_000);
afterAll(async () => {
  await server?.close();
  await Promise.all(kubelets.map((kubelet) => kubelet.close()));
});

const get = (path: string, headers: Record<string, string> = {}) => under.client.send('GET', path, undefined, headers);
const names = async (path: string) =>
  (await get(path)).body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
const cores = (quantity: string) =>
  quantity.endsWith('n') ? Number(quantity.slice(0, -1)) / 1e9 : Number.parseFloat(quantity) / 1e3;

describe('metrics.k8s.io', () => {
  it('serves the usage of a node', async () => {
    const { body } = await get(`${api}/nodes/good`);
    expect(body).toMatchObject({
      kind: 'NodeMetrics',
      apiVersion: 'metrics.k8s.io/v1beta1',
      metadata: { name: 'good', labels: { kind: 'good' }, creationTimestamp: expect.stringMatching(/^\d{4}-.*:\d\dZ$/) },
      timestamp: expect.stringMatching(/^\d{4}-.*:\d\dZ$/),
      window: expect.stringMatching(/^[\d.]+m?s$/),
      usage: { memory: '1Gi' },
    });
    expect(cores(body.usage.cpu)).toBeCloseTo(0.5, 2);
  });

  it('serves the usage of a pod by containers', async () => {
    const { body } = await get(`${api}/namespaces/default/pods/web`);
    expect(body).toMatchObject({ kind: 'PodMetrics', metadata: { name: 'web', namespace: 'default', labels: { app: 'web' } } });
    expect(body.containers.map(({ name, usage }: { name: string; usage: { memory: string } }) => [name, usage.memory])).toEqual([
      ['main', '4Mi'],
      ['side', '4Mi'],
    ]);
    expect(cores(body.containers[0].usage.cpu)).toBeCloseTo(0.25, 2);
  });

  it('lists nodes, and pods that exist and were scraped, with selectors', async () => {
    expect(await names(`${api}/nodes`)).toEqual(['good', 'idle']);
    expect(await names(`${api}/nodes/?labelSelector=kind=good`)).toEqual(['good']);
    expect(await names(`${api}/pods`)).toEqual(['web', 'dns']);
    expect(await names(`${api}/namespaces/default/pods`)).toEqual(['web']);
    expect(await names(`${api}/pods?labelSelector=app=dns`)).toEqual(['dns']);
    expect(await names(`${api}/pods?fieldSelector=metadata.name=dns`)).toEqual(['dns']);
    expect(await names(`${api}/pods?fieldSelector=metadata.namespace!=default`)).toEqual(['dns']);
    expect(await names(`${api}/namespaces/empty/pods`)).toEqual([]);
  });

  it('prints Tables as metrics-server does', async () => {
    const { body } = await get(`${api}/namespaces/default/pods`, { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' });
    expect(body.columnDefinitions.map(({ name, format }: { name: string; format: string }) => [name, format])).toEqual([
      ['Name', 'name'],
      ['cpu', 'quantity'],
      ['memory', 'quantity'],
      ['Window', 'duration'],
    ]);
    const [name, cpu, memory] = body.rows[0].cells;
    expect([name, memory]).toEqual(['web', '8Mi']);
    expect(cores(cpu)).toBeCloseTo(0.5, 2);
  });

  it.each(['nodes/unknown', 'nodes/down', 'namespaces/default/pods/unscraped', 'namespaces/default/pods/unknown'])(
    '%s is not found',
    async (path) => {
      const { status, body } = await get(`${api}/${path}`);
      expect([status, body.reason]).toEqual([404, 'NotFound']);
    },
  );

  it('cannot be written', async () => {
    expect((await under.client.send('DELETE', `${api}/nodes/good`)).status).toBe(405);
  });
});

describe('kubelets that fail', () => {
  beforeAll(async () => {
    const { requests } = kubelets[0] as StandInKubelet;
    await vi.waitFor(() => expect(kubelets[0]?.requests).toBeGreaterThan(requests + 1), { timeout: 30_000, interval: 20 });
  });

  it.each([...Object.keys(broken), 'bad-certificate', 'down'])('%s costs only the figures of its own node', async (name) => {
    expect((await get(`${api}/nodes/${name}`)).status).toBe(404);
    expect((await get(`${api}/nodes/good`)).status).toBe(200);
  });

  it('are logged once, with the reason', () => {
    const failures = logged.filter((line) => line.includes('failed to scrape node')).map((line) => JSON.parse(line));
    const reasons = new Map(failures.map(({ node, error }) => [node, error]));
    expect(reasons.get('slow')).toBe('no answer in time: the limit is 1500 ms');
    expect(reasons.get('garbage')).toContain('does not start with the name of a metric');
    expect(reasons.get('forbidden')).toBe('the kubelet answered with status 403');
    expect(reasons.get('down')).toContain('ECONNREFUSED');
    expect(reasons.get('bad-certificate')).toContain('certificate');
    expect(failures.filter(({ node }) => node === 'slow')).toHaveLength(1);
  });

  it('recover without a restart', async () => {
    const kubelet = kubelets[Object.keys(broken).indexOf('garbage') + 2] as StandInKubelet;
    const { port } = kubelet;
    await kubelet.close();
    const again = await startKubelet(healthy());
    kubelets.push(again);
    await under.client.send(
      'PATCH',
      '/api/v1/nodes/garbage/status',
      { status: { daemonEndpoints: { kubeletEndpoint: { Port: again.port } } } },
      { 'content-type': 'application/merge-patch+json' },
    );
    expect(port).not.toBe(again.port);
    await vi.waitFor(async () => expect((await get(`${api}/nodes/garbage`)).status).toBe(200), { timeout: 20_000, interval: 50 });
  });
});

it('is healthy, and has metrics of its own', async () => {
  const { client } = under;
  const { body } = await client.send('GET', '/apis/apiregistration.k8s.io/v1/apiservices/v1beta1.metrics.k8s.io');
  expect(body.spec.service).toMatchObject({ namespace: 'kube-system', name: 'metrics-server' });
  expect(body.status.conditions).toMatchObject([{ type: 'Available', status: 'True' }]);
});
