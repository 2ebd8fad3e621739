import { Metrics } from '@tsukube/client';
import { defineResource, type PathHandler, type RunningApiServer, StatusError, serve } from '@tsukube/sdk';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Client, clientFor } from '../support/client.ts';

const metrics = new Metrics();
metrics.counter('echoes_total', 'Requests of the echo.').inc();

const echo: PathHandler = ({ path, method, query, user, body }) => {
  if (!path.startsWith('/echo')) return false;
  if (path === '/echo/teapot') throw StatusError.badRequest('no teapots');
  if (path === '/echo/broken') throw new Error('a secret');
  if (method === 'POST') return body().then((bytes) => ({ bytes: bytes.length }));
  return { path, query: query.get('q'), user: user.name };
};

const figures = defineResource({
  group: 'example.com',
  version: 'v1',
  kind: 'Figure',
  schema: { type: 'object', properties: { value: { type: 'integer' } } },
  age: false,
  storage: { get: () => undefined, list: () => [{ metadata: { namespace: 'default', name: 'one' }, value: 1 }] },
});

let alive = true;
const livenessChecks = [
  {
    name: 'alive',
    check() {
      if (!alive) throw new Error('dead');
    },
  },
];
let server: RunningApiServer;
let client: Client;
beforeAll(async () => {
  server = await serve({ resources: [figures], handlers: [echo], metrics, livenessChecks, port: 0 });
  client = clientFor(server.kubeconfig);
});
afterAll(async () => {
  client.close();
  await server.close();
});

it('handlers answer paths of their own, and no others', async () => {
  const { status, body } = await client.send('GET', '/echo/a%20b?q=1');
  expect({ status, body }).toEqual({ status: 200, body: { path: '/echo/a b', query: '1', user: 'admin' } });
  expect((await client.send('GET', '/elsewhere')).status).toBe(404);
  expect((await client.send('GET', '/apis/example.com/v1/figures')).status).toBe(200);
});

it('errors of handlers are Statuses, and only StatusErrors show their message', async () => {
  const refused = await client.send('GET', '/echo/teapot');
  expect([refused.status, refused.body.message]).toEqual([400, 'no teapots']);
  const broken = await client.send('GET', '/echo/broken');
  expect(broken.status).toBe(500);
  expect(broken.text).not.toContain('a secret');
});

it('bodies are limited', async () => {
  expect((await client.send('POST', '/echo', { text: 'x' })).body).toEqual({ bytes: '{"text":"x"}'.length });
  expect((await client.send('POST', '/echo', { text: 'x'.repeat(4_000_000) })).status).toBe(413);
});

it('own metrics and health checks are those of the server', async () => {
  const { text } = await client.send('GET', '/metrics');
  expect(text).toContain('\nechoes_total 1\n');
  expect(text).toContain('apiserver_request_total');
  expect((await client.send('GET', '/livez')).status).toBe(200);
  alive = false;
  expect((await client.send('GET', '/livez')).status).toBe(500);
});

it('objects without an age have no such column', async () => {
  const { body } = await client.send('GET', '/apis/example.com/v1/figures', undefined, {
    accept: 'application/json;as=Table;g=meta.k8s.io;v=v1',
  });
  expect(body.columnDefinitions.map(({ name }: { name: string }) => name)).toEqual(['Name']);
});
