import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningServer, startServer } from '@tsukube/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, clientFor } from '../support/client.ts';

let dataDir: string;
let server: RunningServer;
let client: Client;
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'tsukube-metrics-'));
  mkdirSync(join(dataDir, 'logs'));
  writeFileSync(join(dataDir, 'logs', 'tsukube.log'), 'a line\n');
  server = await startServer({ storage: 'memory', securePort: 0, dataDir, enableLogsHandler: true });
  client = clientFor(server.kubeconfig);
});
afterAll(async () => {
  client.close();
  await server.close();
  rmSync(dataDir, { recursive: true });
});

const configMaps = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

async function scrape(path = '/metrics'): Promise<string> {
  return (await client.get(path)).text;
}

/** The value of the series with these labels; undefined if there is none. */
async function value(name: string, labels: Record<string, string> = {}): Promise<number | undefined> {
  const wanted = Object.entries(labels).map(([label, text]) => `${label}="${text}"`);
  const line = (await scrape())
    .split('\n')
    .find((candidate) => /^\w+/.exec(candidate)?.[0] === name && wanted.every((label) => candidate.includes(label)));
  return line === undefined ? undefined : Number(line.split(' ').at(-1));
}

describe('/metrics', () => {
  it('is in the Prometheus text format', async () => {
    const reply = await client.get('/metrics');
    expect(reply.status).toBe(200);
    expect(reply.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4; charset=utf-8/);
    const line = /^(# (HELP|TYPE) \w+ .+|\w+(\{(\w+="([^"\\\n]|\\.)*",?)+\})? (\S+))$/;
    expect(reply.text.split('\n').filter((text) => text !== '' && !line.test(text))).toEqual([]);
    expect((await client.send('POST', '/metrics')).status).toBe(405);
  });

  it('has admission durations, by plugin and by step', async () => {
    const labels = { operation: 'CREATE', type: 'admit' };
    const plugin = 'apiserver_admission_controller_admission_duration_seconds_count';
    const step = 'apiserver_admission_step_admission_duration_seconds_count';
    const read = async (rejected: string) => [
      (await value(plugin, { ...labels, name: 'NamespaceLifecycle', rejected })) ?? 0,
      (await value(step, { ...labels, rejected })) ?? 0,
    ];
    const [passed, refused] = [await read('false'), await read('true')];
    await client.send('POST', '/api/v1/namespaces/default/limitranges', { metadata: { name: 'admitted' }, spec: { limits: [] } });
    await client.send('POST', '/api/v1/namespaces/nowhere/limitranges', { metadata: { name: 'refused' }, spec: { limits: [] } });
    // The server itself makes writes, too.
    for (const [i, count] of (await read('false')).entries()) expect(count).toBeGreaterThan(passed[i] as number);
    expect(await read('true')).toEqual(refused.map((count) => count + 1));
    expect(await scrape()).toContain(
      'apiserver_admission_step_admission_duration_seconds_bucket{operation="CREATE",rejected="false",type="validate",le="0.005"}',
    );
  });

  it('has the requested deprecated APIs', async () => {
    const name = 'apiserver_requested_deprecated_apis';
    const labels = { group: 'autoscaling', version: 'v2beta2', resource: 'horizontalpodautoscalers', removed_release: '1.26' };
    expect(await value(name, labels)).toBeUndefined();
    await client.get('/apis/autoscaling/v2beta2/horizontalpodautoscalers');
    await client.get('/apis/autoscaling/v2/horizontalpodautoscalers');
    await client.get('/api/v1/componentstatuses');
    expect(await value(name, labels)).toBe(1);
    expect(await value(name, { group: '', resource: 'componentstatuses', removed_release: '' })).toBe(1);
    expect(await value(name, { group: 'autoscaling', version: 'v2"' })).toBeUndefined();
  });

  it('needs authentication', async () => {
    const status = await new Promise((resolve, reject) => {
      get(`${server.url}/metrics`, { ca: client.tls.ca }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).on('error', reject);
    });
    expect(status).toBe(403);
  });

  it('counts requests by verb, resource and code', async () => {
    const of = { resource: 'configmaps', version: 'v1' };
    await client.send('POST', configMaps, configMap('a'));
    await client.send('POST', configMaps, configMap('a'));
    await client.get(`${configMaps}/a`);
    await client.get(`${configMaps}/a`);
    await client.get(configMaps);
    await client.get('/api/v1/namespaces/default/nothing-of-the-kind/x');
    expect(await value('apiserver_request_total', { ...of, verb: 'POST', code: '201', scope: 'resource' })).toBe(1);
    expect(await value('apiserver_request_total', { ...of, verb: 'POST', code: '409' })).toBe(1);
    expect(await value('apiserver_request_total', { ...of, verb: 'GET', code: '200' })).toBe(2);
    expect(await value('apiserver_request_total', { ...of, verb: 'LIST', scope: 'namespace' })).toBe(1);
    expect(await value('apiserver_request_duration_seconds_count', { ...of, verb: 'POST' })).toBe(2);
    expect(await value('apiserver_response_sizes_count', { ...of, verb: 'GET' })).toBe(2);
    expect(await scrape()).not.toContain('nothing-of-the-kind');
  });

  it('has metrics of the store and the watch cache', async () => {
    const of = { group: '', resource: 'secrets' };
    await client.get('/api/v1/namespaces/default/secrets');
    const creates = (await value('etcd_requests_total', { ...of, operation: 'create' })) ?? 0;
    const received = (await value('apiserver_watch_cache_events_received_total', of)) ?? 0;
    const objects = (await value('apiserver_resource_objects', of)) ?? 0;
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'b' } };
    await client.send('POST', '/api/v1/namespaces/default/secrets', secret);
    expect(await value('etcd_requests_total', { ...of, operation: 'create' })).toBe(creates + 1);
    expect(await value('etcd_request_duration_seconds_count', { ...of, operation: 'create' })).toBe(creates + 1);
    expect(await value('apiserver_watch_cache_events_received_total', of)).toBe(received + 1);
    expect(await value('apiserver_resource_objects', of)).toBe(objects + 1);
    expect(await value('apiserver_storage_objects', { resource: 'secrets' })).toBe(objects + 1);
    expect(await value('apiserver_resource_objects', { resource: 'podtemplates' })).toBe(0);
    expect(await value('apiserver_watch_cache_resource_version', of)).toBeGreaterThan(0);
  });

  it('counts running watches', async () => {
    const of = { resource: 'configmaps', version: 'v1', verb: 'WATCH' };
    const watch = await client.watch(`${configMaps}?watch=1&timeoutSeconds=1`);
    expect(await value('apiserver_longrunning_requests', of)).toBe(1);
    expect(await value('apiserver_request_total', of)).toBeUndefined();
    await watch.next();
    expect(await value('apiserver_watch_events_total', { resource: 'configmaps' })).toBeGreaterThan(0);
    expect(await value('apiserver_watch_events_sizes_sum', { resource: 'configmaps' })).toBeGreaterThan(100);
    await expect.poll(() => value('apiserver_longrunning_requests', of)).toBe(0);
    expect(await value('apiserver_request_total', { ...of, code: '200' })).toBe(1);
    expect(await value('apiserver_request_duration_seconds_sum', of)).toBeGreaterThanOrEqual(0.9);
  });

  it('counts timeouts', async () => {
    expect((await client.get(`${configMaps}?resourceVersion=999999&timeout=1ms`)).status).toBe(504);
    expect(await value('apiserver_request_terminations_total', { code: '504', resource: 'configmaps', verb: 'LIST' })).toBe(1);
  });

  it('has metrics of the process and the build', async () => {
    expect(await value('kubernetes_build_info', { major: '1', minor: '36' })).toBe(1);
    expect(await value('process_resident_memory_bytes')).toBeGreaterThan(10 << 20);
    expect(await value('process_cpu_seconds_total')).toBeGreaterThan(0);
    expect(Math.abs(((await value('process_start_time_seconds')) as number) - Date.now() / 1000)).toBeLessThan(3600);
  });

  it('has metrics of Node', async () => {
    const used = (await value('nodejs_heap_size_used_bytes')) as number;
    expect(used).toBeGreaterThan(1 << 20);
    expect(await value('nodejs_heap_size_total_bytes')).toBeGreaterThan(1 << 20);
    expect(await value('nodejs_heap_size_limit_bytes')).toBeGreaterThan(used);
    expect(await value('nodejs_external_memory_bytes')).toBeGreaterThan(0);
    expect(await value('nodejs_array_buffers_bytes')).toBeGreaterThan(0);
    expect(await value('nodejs_eventloop_utilization')).toBeLessThanOrEqual(1);
    expect(await value('nodejs_eventloop_lag_seconds')).toBeGreaterThanOrEqual(0);
    await expect.poll(() => value('nodejs_eventloop_lag_max_seconds'), { interval: 200 }).toBeGreaterThan(0);
  });

  it('has a histogram of garbage collections from the first scrape on', async () => {
    await scrape('/metrics');
    const collected = () => value('nodejs_gc_duration_seconds_count', { kind: 'minor' });
    const garbage = () => JSON.parse(JSON.stringify(Array.from({ length: 100_000 }, (_, i) => ({ i }))));
    await expect.poll(() => garbage() && collected(), { timeout: 5000 }).toBeGreaterThan(0);
  });

  it('counts failed TLS handshakes', async () => {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname).on('error', () => {});
    socket.end('this is no handshake\r\n\r\n');
    await expect.poll(() => value('apiserver_tls_handshake_errors_total')).toBe(1);
  });

  it('has health check results on /metrics/slis', async () => {
    expect((await client.get('/readyz')).status).toBe(200);
    const text = await scrape('/metrics/slis');
    expect(text).toContain('kubernetes_healthcheck{name="etcd",type="readyz"} 1\n');
    expect(text).toContain('kubernetes_healthchecks_total{name="etcd",status="success",type="readyz"} 1\n');
    expect(text).toContain('process_start_time_seconds ');
    expect(text).not.toContain('apiserver_request_total');
  });

  it('is listed in /', async () => {
    expect((await client.get('/')).body.paths).toEqual(expect.arrayContaining(['/logs', '/metrics', '/metrics/slis']));
  });
});

describe('/logs', () => {
  it('serves the log files', async () => {
    expect((await client.get('/logs')).headers.location).toBe('/logs/');
    expect((await client.get('/logs/')).text).toContain('<a href="tsukube.log">tsukube.log</a>');
    expect((await client.get('/logs/tsukube.log')).text).toBe('a line\n');
    expect((await client.get('/logs/../server.lock')).status).toBe(404);
    expect((await client.get('/logs/..%2Fserver.lock')).status).toBe(404);
  });
});

describe('a server with --max-mutating-requests-inflight=1', () => {
  it('runs concurrent writes one at a time', async () => {
    const small = await startServer({ storage: 'memory', securePort: 0, maxMutatingRequestsInflight: 1 });
    const crowd = clientFor(small.kubeconfig);
    try {
      const replies = await Promise.all(
        Array.from({ length: 30 }, (_, i) => crowd.send('POST', configMaps, configMap(`crowd-${i}`))),
      );
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]));
      expect((await crowd.get('/logs/')).status).toBe(404);
    } finally {
      crowd.close();
      await small.close();
    }
  });
});
