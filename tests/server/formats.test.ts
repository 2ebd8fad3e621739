import { request } from 'node:https';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Any } from '../support/client.ts';
import { configMap, newNamespace, useServer } from '../support/server.ts';

const t = useServer();
let path = '';

beforeAll(async () => {
  path = await newNamespace(t.client);
  await t.client.send('POST', path, configMap('a', { app: 'x' }, { k: 'v' }));
});

const meta = (as: string, version = 'v1') => `application/json;as=${as};g=meta.k8s.io;v=${version}`;

describe('accept', () => {
  it.each([
    ['', 200, 'application/json'],
    ['*/*', 200, 'application/json'],
    ['application/*', 406, 'application/json'],
    ['application/json', 200, 'application/json'],
    ['application/yaml', 200, 'application/yaml'],
    ['text/html, application/yaml;q=0.5', 200, 'application/yaml'],
    ['application/yaml;q=0.1, application/json', 200, 'application/json'],
    [`${meta('Table', 'v9')},${meta('Table')},application/json`, 200, 'application/json'],
    ['text/html', 406, 'application/json'],
    [meta('Table', 'v9'), 406, 'application/json'],
    [meta('Nothing'), 406, 'application/json'],
    ['application/json;q=0', 200, 'application/json'],
    ['APPLICATION/JSON', 406, 'application/json'],
    ['application/yaml;stream=watch', 406, 'application/json'],
  ])('%s is %d in %s', async (accept, status, type) => {
    const reply = await t.client.get(`${path}/a`, accept === '' ? {} : { accept });
    expect([reply.status, reply.headers['content-type']]).toEqual([status, type]);
  });

  it('YAML is formatted as in Kubernetes', async () => {
    const { text } = await t.client.get(`${path}/a`, { accept: 'application/yaml' });
    expect(text).toMatch(/^apiVersion: v1\ndata:\n {2}k: v\nkind: ConfigMap\nmetadata:\n {2}creationTimestamp: "/);
  });

  it.each([
    ['curl/8.0', '', true],
    ['curl/8.0', '?pretty=false', false],
    ['kubectl/v1.33', '', false],
    ['kubectl/v1.33', '?pretty=true', true],
  ])('indents for %s%s: %s', async (agent, query, pretty) => {
    const { text } = await t.client.get(`${path}/a${query}`, { 'user-agent': agent });
    expect(text.startsWith('{\n  "kind": "ConfigMap"')).toBe(pretty);
  });
});

describe('an error', () => {
  const ask = (accept: string, agent = 'kubectl') => t.client.get(`${path}/nope`, { accept, 'user-agent': agent });

  it.each([
    ['application/json', 'kubectl', 'application/json', '{"kind":"Status","apiVersion":"v1",'],
    ['application/json', 'curl/8.0', 'application/json', '{\n  "kind": "Status",\n  "apiVersion": "v1",'],
    ['application/json;pretty=1', 'kubectl', 'application/json', '{\n  "kind": "Status",'],
    [meta('Table'), 'kubectl', 'application/json', '{\n  "kind": "Status",'],
    [`${meta('Table')},application/json`, 'kubectl', 'application/json', '{"kind":"Status",'],
    ['text/html, application/yaml', 'kubectl', 'application/yaml', 'apiVersion: v1\ncode: 404\n'],
    ['application/vnd.kubernetes.protobuf', 'kubectl', 'application/vnd.kubernetes.protobuf', 'k8s\0\n\f\n\x02v1\x12\x06Status'],
  ])('has the format that %s of %s selects', async (accept, agent, type, start) => {
    const reply = await ask(accept, agent);
    expect([reply.status, reply.headers['content-type']]).toEqual([404, type]);
    expect(reply.text.slice(0, start.length)).toBe(start);
  });

  it('has the requested format for unauthenticated clients, too', async () => {
    const reply = await t.client.get(path, { accept: 'application/yaml', authorization: 'Bearer wrong' });
    expect(reply.headers['content-type']).toBe('application/yaml');
  });

  it('lists the accepted media types', async () => {
    const offered = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
    const streams = 'application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch';
    const notAcceptable = '406: Not Acceptable\n\nAvailable representations:';
    const messageOf = async (of: string, accept: string) => (await t.client.get(of, { accept })).body.message;
    expect(await messageOf(`${path}/a`, 'text/html')).toBe(`${notAcceptable} ${offered}`);
    expect(await messageOf(path, 'text/html')).toBe(`${notAcceptable} ${offered}, ${streams}`);
    expect(await messageOf('/version', 'text/html')).toBe(`${notAcceptable} application/json`);
    expect(await messageOf(`${path}/a`, meta('Nothing'))).toBe(`only the following media types are accepted: ${offered}`);
  });
});

describe('tables', () => {
  it('have the cells of kubectl get', async () => {
    const { body } = await t.client.get(`${path}?labelSelector=app`, { accept: meta('Table') });
    expect(body).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' });
    expect(body.columnDefinitions.map((column: Any) => column.name)).toEqual(['Name', 'Data', 'Age']);
    expect(body.rows).toHaveLength(1);
    expect(body.rows[0].cells.slice(0, 2)).toEqual(['a', 1]);
    expect(body.rows[0].cells[2]).toMatch(/^\d+s$/);
  });

  it.each([
    ['None', null],
    ['Metadata', { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' }],
    ['Object', { kind: 'ConfigMap', data: { k: 'v' } }],
  ])('include %s of the object', async (includeObject, expected) => {
    const { body } = await t.client.get(`${path}/a?includeObject=${includeObject}`, { accept: meta('Table') });
    if (expected === null) expect(body.rows[0].object).toBeNull();
    else expect(body.rows[0].object).toMatchObject(expected);
  });

  it('are refused with an invalid includeObject', async () => {
    const { status, body } = await t.client.get(`${path}/a?includeObject=All`, { accept: meta('Table') });
    expect([status, body.message]).toEqual([
      400,
      `Unable to convert to Table as requested: includeObject: Invalid value: "All": must be 'Metadata', 'Object', 'None', or empty`,
    ]);
  });
});

describe('PartialObjectMetadata', () => {
  it('of an object and of a list', async () => {
    const one = (await t.client.get(`${path}/a`, { accept: meta('PartialObjectMetadata') })).body;
    expect(Object.keys(one)).toEqual(['kind', 'apiVersion', 'metadata']);
    const list = (await t.client.get(`${path}?labelSelector=app`, { accept: meta('PartialObjectMetadataList') })).body;
    expect(list.kind).toBe('PartialObjectMetadataList');
    expect(list.items).toEqual([one]);
  });
});

describe('bodies', () => {
  it.each([
    ['application/yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: y1}\ndata: {n: "1"}\n', 201],
    ['application/json; charset=utf-8', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"j1"}}', 201],
    ['text/plain', '{}', 415],
    ['application/vnd.kubernetes.protobuf', 'nonsense', 400],
  ])('in %s', async (type, body, status) => {
    const reply = await t.client.send('POST', path, body, { 'content-type': type });
    expect(reply.status).toBe(status);
  });

  it('keep keys such as __proto__', async () => {
    const data = '{"__proto__":"a","constructor":"b","toString":"c"}';
    const body = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"keys"},"data":${data}}`;
    expect((await t.client.send('POST', path, body)).status).toBe(201);
    await t.client.send('PATCH', `${path}/keys`, '{"data":{"__proto__":"z"}}', {
      'content-type': 'application/merge-patch+json',
    });
    const { text } = await t.client.get(`${path}/keys`);
    expect(text).toContain('"data":{"__proto__":"z","constructor":"b","toString":"c"}');
  });
});

describe('compression', () => {
  it.each([
    ['gzip', 'gzip'],
    ['deflate, gzip;q=0.5', 'gzip'],
    ['gzip;q=0', undefined],
    ['gzip; q=0.00, identity', undefined],
    ['x-gzip', undefined],
    ['*', undefined],
  ])('of Accept-Encoding: %s is %s', async (accept, encoding) => {
    const large = await newNamespace(t.client);
    await t.client.send('POST', large, configMap('c', {}, { value: 'v'.repeat(200 * 1024) }));
    expect((await raw(`${large}/c`, { 'accept-encoding': accept })).encoding).toBe(encoding);
  });

  const raw = (url: string, headers: Record<string, string>) =>
    new Promise<{ encoding: string | undefined; body: Buffer }>((resolve, reject) => {
      const sent = request(t.client.url + url, { headers, ...t.client.tls }, async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk as Buffer);
        resolve({ encoding: response.headers['content-encoding'], body: Buffer.concat(chunks) });
      });
      sent.on('error', reject);
      sent.end();
    });

  it.each([
    [1, undefined],
    [300, 'gzip'],
    [3000, 'gzip'],
  ])('of %d KB is %s', async (kilobytes, encoding) => {
    const many = await newNamespace(t.client);
    const value = 'v'.repeat(Math.min(kilobytes, 500) * 1024);
    for (let i = 0; i < Math.ceil(kilobytes / 500); i++) await t.client.send('POST', many, configMap(`c${i}`, {}, { value }));
    const plain = await raw(many, {});
    const packed = await raw(many, { 'accept-encoding': 'gzip' });
    expect(plain.encoding).toBeUndefined();
    expect(packed.encoding).toBe(encoding);
    const body = encoding ? gunzipSync(packed.body) : packed.body;
    expect(JSON.parse(body.toString())).toEqual(JSON.parse(plain.body.toString()));
  });
});

it.each([
  ['configmaps', 'binaryData'],
  ['secrets', 'data'],
])('%s whose %s is null at a key have no bytes there', async (plural, field) => {
  const collection = path.replace('configmaps', plural);
  const created = await t.client.send('POST', collection, { metadata: { name: 'null' }, [field]: { a: null, b: 'AA==' } });
  expect([created.status, created.body[field]]).toEqual([201, { a: '', b: 'AA==' }]);
  expect((await t.client.get(`${collection}/null`)).body[field]).toEqual({ a: '', b: 'AA==' });
  const inProtobuf = await t.client.get(`${collection}/null`, { accept: 'application/vnd.kubernetes.protobuf' });
  expect(inProtobuf.status).toBe(200);
});

it('a delete with a patch as body is refused', async () => {
  await t.client.send('POST', path, configMap('kept'));
  const patch = [{ op: 'copy', from: '/data/a', path: '/data/b' }];
  const { status } = await t.client.send('DELETE', `${path}/kept`, patch, { 'content-type': 'application/json-patch+json' });
  expect(status).toBe(415);
});
