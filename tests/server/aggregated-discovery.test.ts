import { afterAll, describe, expect, it, vi } from 'vitest';
import {
  type AggregatedBackend,
  answerJson,
  type BackendHandler,
  registerBackend,
  startBackend,
} from '../support/aggregated-backend.ts';
import type { Any } from '../support/client.ts';
import { useServer } from '../support/server.ts';

const t = useServer();
const form = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const closing: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
});

async function start(group: string, handle: BackendHandler, spec: Any = {}): Promise<AggregatedBackend> {
  const service = group.split('.')[0] as string;
  const backend = await startBackend({ group, service, handle });
  closing.push(() => backend.close());
  await registerBackend(t.client, group, service, backend.port, { caBundle: backend.caBundle, ...spec });
  return backend;
}

const notFound: BackendHandler = (_incoming, response) => void response.writeHead(404).end();

async function groupOf(name: string): Promise<Any> {
  const { body } = await t.client.get('/apis', { accept: form });
  return body.items.find(({ metadata }: Any) => metadata.name === name);
}

function lists(name: string, versions: Any): Promise<void> {
  return vi.waitFor(async () => expect((await groupOf(name))?.versions).toEqual(versions), { timeout: 15_000, interval: 20 });
}

const kind = { group: '', version: '', kind: 'Flunder' };
const flunders = {
  resource: 'flunders',
  responseKind: kind,
  scope: 'Namespaced',
  singularResource: 'flunder',
  verbs: ['create', 'get', 'list', 'watch'],
};

describe('discovery of aggregated APIs', () => {
  it('is converted from the resource list of the backend', async () => {
    await start('legacy.example.com', notFound);
    await lists('legacy.example.com', [
      { version: 'v1', resources: [{ ...flunders, shortNames: ['fl'] }], freshness: 'Current' },
    ]);
    const version = { groupVersion: 'legacy.example.com/v1', version: 'v1' };
    const group = { name: 'legacy.example.com', versions: [version], preferredVersion: version };
    expect((await t.client.get('/apis/legacy.example.com')).body).toEqual({ kind: 'APIGroup', apiVersion: 'v1', ...group });
    expect((await t.client.get('/apis')).body.groups).toContainEqual(group);
    const resources = await t.client.get('/apis/legacy.example.com/v1');
    expect(resources.body.resources).toMatchObject([{ name: 'flunders' }]);
    const protobuf = await t.client.get('/apis', { accept: form.replace('json', 'vnd.kubernetes.protobuf') });
    expect([protobuf.status, protobuf.text.includes('legacy.example.com')]).toEqual([200, true]);
  });

  it('is taken from the aggregated discovery of the backend, in the order of priorities', async () => {
    const status = { subresource: 'status', responseKind: kind, verbs: ['get'] };
    const versions = [{ version: 'v1', resources: [{ ...flunders, subresources: [status] }], freshness: 'Current' }];
    const items = [{ metadata: { name: 'first.example.com' }, versions }];
    await start(
      'first.example.com',
      ({ url }, response) => {
        if (url !== '/apis') return void response.writeHead(404).end();
        response.writeHead(200, { 'content-type': form, etag: '"1"' });
        response.end(JSON.stringify({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', items }));
      },
      { groupPriorityMinimum: 19_000 },
    );
    await lists('first.example.com', versions);
    const { body } = await t.client.get('/apis');
    expect(body.groups.slice(0, 3).map(({ name }: Any) => name)).toEqual(['apiregistration.k8s.io', 'first.example.com', 'apps']);
  });

  it('is stale while the backend is down', async () => {
    await registerBackend(t.client, 'down.example.com', 'down', 1, { insecureSkipTLSVerify: true });
    await lists('down.example.com', [{ version: 'v1', freshness: 'Stale' }]);
    expect((await t.client.get('/apis/down.example.com/v1')).status).toBe(503);
    expect((await t.client.get('/openapi/v3/apis/down.example.com/v1')).status).toBe(404);
    await t.client.send('DELETE', '/apis/apiregistration.k8s.io/v1/apiservices/v1.down.example.com');
    await vi.waitFor(async () => expect(await groupOf('down.example.com')).toBeUndefined(), 5000);
  });
});

describe('OpenAPI of aggregated APIs', () => {
  it('is listed and served by the backend', async () => {
    const name = 'apis/openapi.example.com/v1';
    const serverRelativeURL = `/openapi/v3/${name}?hash=ABC`;
    const backend = await start('openapi.example.com', ({ url }, response) => {
      if (url === '/openapi/v3') return answerJson(response, 200, { paths: { [name]: { serverRelativeURL } } });
      if (url === serverRelativeURL) return answerJson(response, 200, { openapi: '3.0.0' });
      response.writeHead(404).end();
    });
    const listed = async () => (await t.client.get('/openapi/v3')).body.paths[name];
    await vi.waitFor(async () => expect(await listed()).toEqual({ serverRelativeURL }), { timeout: 15_000, interval: 50 });
    expect((await t.client.get(serverRelativeURL)).body).toEqual({ openapi: '3.0.0' });
    const read = backend.requests.find(({ line }) => line.endsWith(serverRelativeURL));
    expect(read?.headers['x-remote-user']).toBe('admin');
  });
});

describe('OpenAPI 2 of aggregated APIs', () => {
  const gvk = 'x-kubernetes-group-version-kind';
  const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
  const specPath = '/apis/swagger.example.com/v1/namespaces/{namespace}/flunders';
  const flunder = (description: string) => ({
    description,
    type: 'object',
    properties: { metadata: { $ref: `#/definitions/${meta}` } },
    [gvk]: [{ group: 'swagger.example.com', version: 'v1', kind: 'Flunder' }],
  });
  const document = (description: string) => ({
    swagger: '2.0',
    info: { title: 'backend', version: '1' },
    paths: {
      [specPath]: { get: { responses: { 200: { description: 'OK', schema: { $ref: '#/definitions/Flunder' } } } } },
      '/healthz': { get: { responses: { 200: { description: 'OK', schema: { $ref: '#/definitions/Left' } } } } },
    },
    definitions: { Flunder: flunder(description), [meta]: { type: 'object', description: 'another' }, Left: { type: 'string' } },
  });
  const merged = async () => {
    const { body, headers } = await t.client.get('/openapi/v2');
    return { definitions: body.definitions, paths: body.paths, etag: headers.etag };
  };
  const describes = (text: string | undefined) =>
    vi.waitFor(async () => expect((await merged()).definitions.Flunder?.description).toBe(text), {
      timeout: 15_000,
      interval: 50,
    });

  it('is merged, and left out while the backend is down', async () => {
    const before = await merged();
    let version = 'first';
    const backend = await start('swagger.example.com', ({ url, headers }, response) => {
      if (url !== '/openapi/v2') return void response.writeHead(404).end();
      if (headers['if-none-match'] === version) return void response.writeHead(304).end();
      response.writeHead(200, { 'content-type': 'application/json', etag: version }).end(JSON.stringify(document(version)));
    });
    await describes('first');
    const { definitions, paths, etag } = await merged();
    expect(etag).not.toBe(before.etag);
    expect(paths[specPath].get.responses[200].schema).toEqual({ $ref: '#/definitions/Flunder' });
    expect(Object.keys(paths)).toHaveLength(Object.keys(before.paths).length + 1);
    expect(definitions.Flunder.properties.metadata).toEqual({ $ref: `#/definitions/${meta}_v2` });
    expect([definitions[meta], definitions[`${meta}_v2`]]).toEqual([
      before.definitions[meta],
      { type: 'object', description: 'another' },
    ]);
    expect(definitions.Left).toBeUndefined();
    const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
    const protobuf = await t.client.get('/openapi/v2', { accept });
    expect([protobuf.status, protobuf.text.includes(`${meta}_v2`)]).toEqual([200, true]);

    version = 'second';
    const name = '/apis/apiregistration.k8s.io/v1/apiservices/v1.swagger.example.com';
    const merge = { 'content-type': 'application/merge-patch+json' };
    await t.client.send('PATCH', name, { spec: { versionPriority: 16 } }, merge);
    await describes('second');
    await backend.close();
    await t.client.send('PATCH', name, { spec: { versionPriority: 17 } }, merge);
    await describes(undefined);
    expect((await merged()).etag).toBe(before.etag);
  });

  it.each([
    ['is not JSON', 'nojson', (): string => '<html>'],
    [
      'has another form',
      'misshapen',
      (): string => JSON.stringify({ paths: {}, definitions: { Misshapen: { description: 7 } } }),
    ],
  ])('is left out if it %s', async (_, service, body) => {
    const backend = await start(`${service}.example.com`, ({ url }, response) => {
      if (url === '/openapi/v2') response.writeHead(200).end(body());
      else response.writeHead(404).end();
    });
    const asked = () => backend.requests.some(({ line }) => line === 'GET /openapi/v2');
    await vi.waitFor(() => expect(asked()).toBe(true), { timeout: 15_000, interval: 20 });
    expect((await merged()).definitions.Misshapen).toBeUndefined();
  });
});
