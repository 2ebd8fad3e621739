import { describe, expect, it } from 'vitest';
import { useServer } from '../support/server.ts';

const t = useServer();

describe('/statusz and /flagz', () => {
  const as = (kind: string, version: string, type = 'application/json') => `${type};v=${version};g=config.k8s.io;as=${kind}`;

  it.each(['', 'text/plain', '*/*', 'application/json,text/plain;q=0.5', `${as('Flagz', 'v1beta1')},text/plain`])(
    '/statusz is text for %s',
    async (accept) => {
      const { status, headers, text } = await t.client.get('/statusz', accept === '' ? {} : { accept });
      expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
      expect(text).toMatch(/\nStarted: {2}\w{3} \w{3} \d\d \d\d:\d\d:\d\d UTC \d{4}\nUp: {2}0 hr \d\d min \d\d sec\n/);
    },
  );

  it.each(['v1beta1', 'v1alpha1'])('/statusz is an object of %s', async (version) => {
    const { headers, body } = await t.client.get('/statusz', { accept: as('Statusz', version) });
    expect(headers['content-type']).toBe(`application/json;g=config.k8s.io;v=${version};as=Statusz`);
    expect(body).toMatchObject({
      kind: 'Statusz',
      apiVersion: `config.k8s.io/${version}`,
      metadata: { name: 'apiserver' },
      startTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      uptimeSeconds: expect.any(Number),
      paths: ['/flagz', '/healthz', '/livez', '/metrics', '/readyz', '/statusz', '/version'],
    });
  });

  it('/flagz is an object of values by name, in JSON and in YAML', async () => {
    const { body } = await t.client.get('/flagz', { accept: as('Flagz', 'v1beta1') });
    expect(body).toMatchObject({
      kind: 'Flagz',
      metadata: { name: 'apiserver' },
      flags: { 'storage-media-type': expect.any(String) },
    });
    const yaml = await t.client.get('/flagz', { accept: as('Flagz', 'v1beta1', 'application/yaml') });
    expect(yaml.headers['content-type']).toBe('application/yaml;g=config.k8s.io;v=v1beta1;as=Flagz');
    expect(yaml.text).toMatch(/^apiVersion: config\.k8s\.io\/v1beta1\nflags:\n/);
  });
});

describe('conditional requests', () => {
  const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

  it.each([
    ['/openapi/v2', 'application/json'],
    ['/openapi/v3/api/v1', 'application/json'],
    ['/apis', aggregated],
  ])('%s supports If-None-Match, without a content type', async (path, accept) => {
    const { etag } = (await t.client.get(path, { accept })).headers;
    const { status, headers, text } = await t.client.get(path, { accept, 'if-none-match': etag as string });
    expect([status, headers.etag, text]).toEqual([304, etag, '']);
    expect(headers).not.toHaveProperty('content-type');
    expect(headers).not.toHaveProperty('last-modified');
  });

  it.each(['/openapi/v2', '/openapi/v3', '/openapi/v3/api/v1'])('%s supports If-Modified-Since', async (path) => {
    // Last-Modified has a resolution of one second.
    const whenKnown = async () => {
      const modified = (await t.client.get(path)).headers['last-modified'] as string;
      return { modified, known: await t.client.get(path, { 'if-modified-since': modified }) };
    };
    await expect.poll(async () => (await whenKnown()).known.status, { timeout: 5_000 }).toBe(304);
    const { modified, known } = await whenKnown();
    expect(Date.parse(modified)).toBeGreaterThan(Date.now() - 3_600_000);
    expect([known.status, known.headers['content-type']]).toEqual([304, undefined]);
    const before = new Date(Date.parse(modified) - 1000).toUTCString();
    expect((await t.client.get(path, { 'if-modified-since': before })).status).toBe(200);
    expect((await t.client.get(path, { 'if-modified-since': 'nonsense' })).status).toBe(200);
  });

  it('/openapi/v3 is sent again to clients that read it in the second of its last change', async () => {
    for (const group of ['one', 'two', 'three']) {
      const modified = (await t.client.get('/openapi/v3')).headers['last-modified'] as string;
      const schema = { openAPIV3Schema: { type: 'object' } };
      const definition = {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: `things.${group}.example.com` },
        spec: {
          group: `${group}.example.com`,
          scope: 'Namespaced',
          names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
          versions: [{ name: 'v1', served: true, storage: true, schema }],
        },
      };
      await t.client.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
      const { status, text } = await t.client.get('/openapi/v3', { 'if-modified-since': modified });
      expect([status, text.includes(`apis/${group}.example.com/v1`)]).toEqual([200, true]);
    }
  });

  it.each(['/openapi/v2', '/openapi/v3/api/v1'])('%s is 406 without a content type', async (path) => {
    const { status, headers } = await t.client.get(path, { accept: 'text/html' });
    expect([status, headers['content-type'], headers.vary]).toEqual([406, undefined, 'Accept']);
  });
});

describe('documents in protobuf', () => {
  const protobuf = 'application/vnd.kubernetes.protobuf';
  const aggregated = ';g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  const openApi = 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf';

  it.each([
    ['/api', 'APIVersions'],
    ['/apis', 'APIGroupList'],
    ['/apis/apps', 'APIGroup'],
    ['/api/v1', 'APIResourceList'],
    ['/apis/apps/v1', 'APIResourceList'],
  ])('%s is a message of kind %s', async (path, kind) => {
    const { status, headers, text } = await t.client.get(path, { accept: protobuf });
    expect([status, headers['content-type']]).toEqual([200, protobuf]);
    expect(text.slice(0, 40)).toMatch(new RegExp(`^k8s\\0.*${kind}\\x12`, 's'));
  });

  it.each(['/api', '/apis'])('%s contains all groups, and has the ETag of the JSON', async (path) => {
    const message = await t.client.get(path, { accept: `${protobuf}${aggregated},application/json` });
    expect(message.headers['content-type']).toBe(`${protobuf}${aggregated}`);
    expect(message.text).toContain('APIGroupDiscoveryList');
    const json = await t.client.get(path, { accept: `application/json${aggregated}` });
    expect(message.headers.etag).toBe(json.headers.etag);
  });

  it.each([openApi, openApi.replace('v3.v1', 'v3@v1')])(
    'OpenAPI v3 is a message for %s, with the ETag of the JSON',
    async (accept) => {
      const path = '/openapi/v3/apis/coordination.k8s.io/v1';
      const { status, headers, text } = await t.client.get(path, { accept });
      expect([status, headers['content-type']]).toEqual([200, openApi]);
      expect(text.startsWith('\n\x053.0.0')).toBe(true);
      expect(headers.etag).toBe((await t.client.get(path)).headers.etag);
      expect((await t.client.get(path, { accept, 'if-none-match': headers.etag as string })).status).toBe(304);
    },
  );
});

it.each([
  ['export=true', 400],
  ['export=', 400],
  ['export=false', 200],
  ['exporter=true', 200],
])('a get with %s is answered with %d', async (query, status) => {
  const reply = await t.client.get(`/api/v1/namespaces/default?${query}`);
  expect(reply.status).toBe(status);
  if (status === 400) expect(reply.body.message).toBe('the export parameter, deprecated since v1.14, is no longer supported');
});
