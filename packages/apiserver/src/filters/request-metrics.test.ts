import { Readable } from 'node:stream';
import type { Answer, BytesAnswer, Exchange, Sink } from '@tsukube/transport';
import { describe, expect, it } from 'vitest';
import { IncomingRequest } from '../http/api-request.ts';
import { Registry } from '../metrics/prometheus/registry.ts';
import { servedSubjects } from '../metrics/request-labels.ts';
import { RequestMetrics } from '../metrics/request-metrics.ts';
import type { Resource } from '../registry/resource.ts';
import { chain, type Handler, withRequestInfo } from './filter.ts';
import { requestMetrics } from './request-metrics.ts';

const deployments = {
  names: { plural: 'deployments' },
  versions: [{ group: 'apps', version: 'v1' }],
  subresources: { status: {}, proxy: {} },
} as unknown as Resource;
const configMaps = { names: { plural: 'configmaps' }, versions: [{ group: '', version: 'v1' }] } as unknown as Resource;

const unobserved = { begin() {}, end() {}, suspend() {}, settle() {} };

function setUp(handler: Handler) {
  let now = 0;
  const registry = new Registry();
  const metrics = new RequestMetrics(registry, () => servedSubjects([deployments, configMaps]));
  const handle = chain([requestMetrics(metrics, unobserved, () => now), withRequestInfo()], handler);
  return {
    ask: (method: string, url: string, headers: Record<string, string> = {}) => {
      const exchange = { method, url, header: (name: string) => headers[name] } as Exchange;
      return handle(new IncomingRequest(exchange, 0));
    },
    pass: (ms: number) => {
      now += ms;
    },
    lines: async (...names: string[]) =>
      (await registry.scrape()).split('\n').filter((line) => names.some((name) => line.startsWith(`${name}{`))),
  };
}

const answer = (status: number, body: BytesAnswer['body'] = 'body'): Answer => ({
  kind: 'bytes',
  status,
  type: 'text/plain',
  body,
});

describe('the labels of a request', () => {
  const labels = (changed: Record<string, string>) => {
    const all = { code: '200', component: 'apiserver', dry_run: '', group: '', resource: '', scope: '', subresource: '' };
    return Object.entries({ ...all, verb: 'GET', version: '', ...changed })
      .map(([name, value]) => `${name}="${value}"`)
      .join(',');
  };
  const v1 = { version: 'v1', resource: 'configmaps' };
  const apps = { group: 'apps', version: 'v1', resource: 'deployments' };
  const applied = { 'content-type': 'application/apply-patch+yaml' };

  it.each<[string, string, Record<string, string>, Record<string, string>?]>([
    ['GET', '/api/v1/namespaces/a/configmaps/x', { ...v1, scope: 'resource' }],
    ['GET', '/api/v1/namespaces/a/configmaps?limit=1', { ...v1, scope: 'namespace', verb: 'LIST' }],
    ['GET', '/api/v1/configmaps?fieldSelector=metadata.name%3Dx', { ...v1, scope: 'cluster', verb: 'LIST' }],
    ['GET', '/api/v1/configmaps?watch=1', { ...v1, scope: 'cluster', verb: 'WATCH' }],
    ['POST', '/api/v1/namespaces/a/configmaps', { ...v1, scope: 'resource', verb: 'POST' }],
    [
      'PUT',
      '/apis/apps/v1/namespaces/a/deployments/x/status',
      { ...apps, scope: 'resource', subresource: 'status', verb: 'PUT' },
    ],
    ['PATCH', '/apis/apps/v1/namespaces/a/deployments/x', { ...apps, scope: 'resource', verb: 'PATCH' }],
    ['PATCH', '/apis/apps/v1/namespaces/a/deployments/x', { ...apps, scope: 'resource', verb: 'APPLY' }, applied],
    ['DELETE', '/apis/apps/v1/namespaces/a/deployments', { ...apps, scope: 'namespace', verb: 'DELETE' }],
    [
      'GET',
      '/apis/apps/v1/namespaces/a/deployments/x/proxy',
      { ...apps, scope: 'resource', subresource: 'proxy', verb: 'CONNECT' },
    ],
    ['POST', '/api/v1/namespaces/a/configmaps?dryRun=All', { ...v1, dry_run: 'All', scope: 'resource', verb: 'POST' }],
    ['POST', '/api/v1/namespaces/a/configmaps?dryRun=x', { ...v1, dry_run: 'invalid', scope: 'resource', verb: 'POST' }],
    ['GET', '/healthz/etcd', { component: '', subresource: '/healthz' }],
    ['GET', '/openapi/v3/api/v1', { component: '', subresource: 'openapi/v3' }],
    ['HEAD', '/api', { subresource: '/api' }],
    ['GET', '/apis/apps/v1', { subresource: '/apis' }],
    ['GET', '/api/v1/namespaces/a/anything/x', { scope: 'resource' }],
    ['GET', '/apis/apps/v1beta9/namespaces/a/deployments/x', { scope: 'resource' }],
    ['GET', '/apis/apps/v1/namespaces/a/deployments/x/anything', { scope: 'resource' }],
    ['GET', '/anything', { component: '' }],
    ['BREW', '/anything', { component: '', verb: 'other' }],
  ])('%s %s', async (method, url, changed, headers) => {
    const { ask, lines } = setUp(() => answer(200));
    ask(method, url, headers);
    expect(await lines('apiserver_request_total')).toEqual([`apiserver_request_total{${labels(changed)}} 1`]);
  });
});

describe('requests', () => {
  const path = '/api/v1/namespaces/a/configmaps/x';
  const sums = ['apiserver_request_duration_seconds_sum', 'apiserver_response_sizes_sum'];
  const values = (lines: string[]) => lines.map((line) => Number(line.split(' ').at(-1)));

  it('with a synchronous answer stay synchronous', () => {
    const { ask } = setUp(() => answer(200));
    expect(ask('GET', path)).not.toBeInstanceOf(Promise);
  });

  it('are timed until their answer is ready', async () => {
    const { ask, pass, lines } = setUp(async () => {
      pass(250);
      return answer(404, 'gone ü');
    });
    await ask('GET', path);
    expect(values(await lines(...sums))).toEqual([0.25, 7]);
    expect(await lines('apiserver_request_total')).toEqual([expect.stringContaining('code="404"')]);
  });

  it('with a body in pieces are timed until the last piece, or until the client is gone', async () => {
    const { ask, pass, lines } = setUp(() => answer(200, [Buffer.alloc(10), Buffer.alloc(20), Buffer.alloc(30)]));
    for (const wanted of [3, 2]) {
      const { body } = (await ask('GET', path)) as { body: Iterable<Uint8Array> };
      const pieces = body[Symbol.iterator]();
      for (let i = 0; i < wanted; i++) pieces.next();
      pass(1000);
      pieces.return?.();
    }
    expect(values(await lines(...sums))).toEqual([2, 90]);
    expect(values(await lines('apiserver_request_total'))).toEqual([2]);
  });

  it('with a stream body are timed until it is read, or until the client is gone', async () => {
    const { ask, pass, lines } = setUp(() => answer(200, Readable.from([Buffer.alloc(10), Buffer.alloc(20)])));
    const { body: read } = (await ask('GET', path)) as { body: Readable };
    pass(1000);
    expect(Buffer.concat(await read.toArray())).toHaveLength(30);
    const { body: dropped } = (await ask('GET', path)) as { body: Readable };
    dropped.destroy();
    await expect.poll(async () => values(await lines('apiserver_request_duration_seconds_count'))).toEqual([2]);
    expect(values(await lines(...sums))[0]).toBe(1);
  });

  it('without a body are timed at once', async () => {
    const { ask, lines } = setUp(() => answer(200, [Buffer.alloc(10)]));
    ask('HEAD', path);
    expect(values(await lines('apiserver_request_duration_seconds_count', 'apiserver_response_sizes_sum'))).toEqual([1, 0]);
  });

  it('that write record no response size', async () => {
    const { ask, lines } = setUp(() => answer(201));
    ask('POST', '/api/v1/namespaces/a/configmaps');
    expect(await lines('apiserver_response_sizes_sum')).toEqual([]);
  });
});

describe('a watch', () => {
  it('is counted when it ends, with a gauge while it is open and a counter of its events', async () => {
    let opened: Sink | undefined;
    const start = (sink: Sink) => {
      opened = sink;
    };
    const { ask, pass, lines } = setUp(() => ({ kind: 'stream', status: 200, type: 'application/json', start }));
    const stream = (await ask('GET', '/api/v1/configmaps?watch=1')) as Extract<Answer, { kind: 'stream' }>;
    const written: number[] = [];
    let close = () => {};
    stream.start({
      write: (frames: unknown[]) => written.push(frames.length),
      onClose: (end: () => void) => (close = end),
    } as never);
    opened?.write([Buffer.alloc(100), Buffer.alloc(2000)], Buffer.alloc(2100));
    expect(written).toEqual([2]);
    expect(await lines('apiserver_longrunning_requests')).toEqual([expect.stringMatching(/verb="WATCH".* 1$/)]);
    expect(await lines('apiserver_request_total')).toEqual([]);

    pass(30_000);
    close();
    expect(await lines('apiserver_longrunning_requests')).toEqual([expect.stringMatching(/ 0$/)]);
    expect(await lines('apiserver_request_total', 'apiserver_request_duration_seconds_sum')).toEqual([
      expect.stringMatching(/ 30$/),
      expect.stringMatching(/ 1$/),
    ]);
    const of = 'group="",resource="configmaps",version="v1"';
    expect(await lines('apiserver_watch_events_total')).toEqual([`apiserver_watch_events_total{${of}} 2`]);
    expect(await lines('apiserver_watch_events_sizes_sum')).toEqual([`apiserver_watch_events_sizes_sum{${of}} 2100`]);
  });
});
