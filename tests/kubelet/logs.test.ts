import { get } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ContainerLog, type StandInKubelet, startKubelet } from '../support/kubelet/index.ts';
import { createNode, createPod, podOn, useNode } from './setup.ts';

const hour = 3_600_000;

const t = useNode({
  intercept(request, response) {
    const [, pod = ''] = /^\/containerLogs\/[^/]+\/(\w+)\//.exec(request.url ?? '') ?? [];
    const answers: Record<string, [number, string, Record<string, string>]> = {
      missing: [404, 'pod "missing" not found\n', {}],
      denied: [403, 'Forbidden (user=x, verb=get)\n', {}],
      broken: [500, 'container runtime is down\n', {}],
      bad: [400, 'previous terminated container "c" in pod "bad" not found', {}],
      busy: [503, 'try later', {}],
      moved: [302, '', { location: 'https://elsewhere.example/log' }],
    };
    const answer = answers[pod];
    if (answer) response.writeHead(answer[0], { 'content-type': 'text/plain', ...answer[2] }).end(answer[1]);
    return answer !== undefined;
  },
});
const log = (pod = 'web', query = '') => `${t.pods}/${pod}/log${query}`;

beforeAll(async () => {
  const now = Date.now();
  const lines = [
    { at: now - 2 * hour, text: 'first' },
    { at: now - hour, text: 'second' },
    { at: now, text: 'third' },
  ];
  t.kubelet.logs.set(`${t.namespace}/web/c`, new ContainerLog(lines));
  t.kubelet.logs.set(`${t.namespace}/web/c/previous`, new ContainerLog([{ at: now, text: 'before the restart' }]));
  for (const name of ['missing', 'denied', 'broken', 'bad', 'busy', 'moved'])
    await createPod(t.client, t.pods, podOn(name, t.node));
});

describe('logs', () => {
  it.each([
    ['', 'first\nsecond\nthird\n'],
    ['?container=c', 'first\nsecond\nthird\n'],
    ['?tailLines=1', 'third\n'],
    ['?tailLines=0', ''],
    ['?sinceSeconds=5400', 'second\nthird\n'],
    [`?sinceTime=${new Date(Date.now() - 1.5 * hour).toISOString()}`, 'second\nthird\n'],
    ['?limitBytes=7', 'first\ns'],
    ['?previous=true', 'before the restart\n'],
    ['?previous=false&timestamps=false', 'first\nsecond\nthird\n'],
    ['?insecureSkipTLSVerifyBackend=true', 'first\nsecond\nthird\n'],
  ])('with %s', async (query, text) => {
    const answer = await t.client.get(log('web', query));
    expect([answer.status, answer.headers['content-type'], answer.text]).toEqual([200, 'text/plain', text]);
  });

  it('are asked for with the options and nothing else, with the client certificate of the server', async () => {
    const query = '?timestamps=1&tailLines=%2B2&sinceTime=2026-01-01T01:00:00.5%2B01:00&pretty=true&container=c&limitBytes=100';
    await t.client.get(log('web', query), { 'x-extra': 'secret', authorization: 'Bearer x' });
    const { url, method, headers, client } = t.kubelet.seen.at(-1) ?? {};
    const expected = 'limitBytes=100&sinceTime=2026-01-01T00%3A00%3A00Z&tailLines=2&timestamps=true';
    expect([method, url]).toEqual(['GET', `/containerLogs/${t.namespace}/web/c?${expected}`]);
    expect(client).toContain('system:masters/');
    expect([headers?.['x-extra'], headers?.authorization]).toEqual([undefined, undefined]);
  });

  it.each<[string, string, number, string, string]>([
    ['missing', '', 404, 'NotFound', 'the server could not find the requested resource ( pods/log missing)'],
    ['denied', '', 403, 'Forbidden', 'Forbidden (user=x, verb=get)\n ( pods/log denied)'],
    ['broken', '', 500, 'InternalError', 'Internal error occurred: container runtime is down\n'],
    ['bad', '?previous=true', 400, 'BadRequest', 'previous terminated container "c" in pod "bad" not found'],
    ['busy', '', 503, 'ServiceUnavailable', 'the server is currently unable to handle the request ( pods/log busy)'],
    ['moved', '', 500, '', 'Get "https://elsewhere.example/log": redirects forbidden'],
    [
      'web',
      '?sinceTime=yesterday',
      400,
      'BadRequest',
      'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"',
    ],
    [
      'web',
      '?sinceSeconds=9223372036854775808',
      400,
      'BadRequest',
      'strconv.ParseInt: parsing "9223372036854775808": value out of range',
    ],
    [
      'web',
      '?sinceSeconds=1&sinceTime=2026-01-01T00:00:00Z&limitBytes=0',
      422,
      'Invalid',
      'PodLogOptions "web" is invalid: [limitBytes: Invalid value: 0: must be greater than 0, []: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified]',
    ],
  ])('of %s %s are the error of the kubelet', async (pod, query, code, reason, message) => {
    const { status, body } = await t.client.get(log(pod, query));
    expect([status, body.reason ?? '', body.message]).toEqual([code, reason, message]);
  });

  it('are followed until the client leaves', async () => {
    const followed = new ContainerLog();
    t.kubelet.logs.set(`${t.namespace}/web/c`, followed);
    const pieces: string[] = [];
    const url = new URL(t.client.url + log('web', '?follow=true'));
    const request = get(url, t.client.tls, (response) => response.on('data', (piece: Buffer) => pieces.push(piece.toString())));
    request.on('error', () => {});
    await expect.poll(() => followed.followers).toBe(1);
    followed.append('one');
    await expect.poll(() => pieces.join('')).toBe('one\n');
    followed.append('two');
    await expect.poll(() => pieces.join('')).toBe('one\ntwo\n');
    request.destroy();
    await expect.poll(() => followed.followers).toBe(0);
  });
});

describe('a kubelet that is not there', () => {
  let other: StandInKubelet;
  beforeAll(async () => {
    other = await startKubelet({ hosts: ['other.example'] });
    await createNode(t.client, `${t.node}-gone`, '127.0.0.1', 1);
    await createNode(t.client, `${t.node}-bare`, '127.0.0.1', other.port, { addresses: [{ type: 'Strange', address: 'x' }] });
    await createPod(t.client, t.pods, podOn('gone', `${t.node}-gone`));
    await createPod(t.client, t.pods, podOn('bare', `${t.node}-bare`));
  });
  afterAll(async () => {
    for (const node of ['gone', 'bare']) await t.client.send('DELETE', `/api/v1/nodes/${t.node}-${node}`);
    await other.close();
  });

  it.each([
    [
      'gone',
      () => `Get "https://127.0.0.1:1/containerLogs/${t.namespace}/gone/c": dial tcp 127.0.0.1:1: connect: connection refused`,
    ],
    ['bare', () => 'no preferred addresses found; known addresses: [{Strange x}]'],
  ])('%s', async (pod, message) => {
    const { status, body } = await t.client.get(log(pod));
    expect([status, body.reason ?? '', body.message]).toEqual([500, '', message()]);
  });
});
