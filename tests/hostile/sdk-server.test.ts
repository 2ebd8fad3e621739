import { request } from 'node:https';
import { type Authenticator, defineResource, type RunningApiServer, serve } from '@tsukube/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { certificate } from '../support/certificates.ts';
import { type Client, clientFor } from '../support/client.ts';
import { holdOf } from './event-loop.ts';

const group = 'example.com';
const schema = { type: 'object', properties: { text: { type: 'string' } } } as const;
const notes = defineResource({ group, version: 'v1', kind: 'Note', schema });
const grains = defineResource({
  group,
  version: 'v1',
  kind: 'Grain',
  schema,
  columns: [{ name: 'Text', value: '.text' }],
  storage: {
    get: () => undefined,
    *list() {
      for (let i = 0; i < 100_000; i++)
        yield {
          metadata: { name: `grain-${(i * 7919) % 100_000}`, namespace: 'sand', labels: { odd: String(i % 2) } },
          text: 'x'.repeat(40),
        };
    },
  },
});

/** Accepts one token, for a user without rights. */
const byToken: Authenticator = ({ exchange }) =>
  exchange.header('authorization') === 'Bearer right' ? { user: { name: 'jane', groups: [] } } : undefined;

let server: RunningApiServer;
let client: Client;
beforeAll(async () => {
  server = await serve({ resources: [notes, grains], port: 0, authentication: byToken, admin: true });
  client = clientFor(server.kubeconfig);
});
afterAll(async () => {
  client.close();
  await server.close();
});

const place = `/apis/${group}/v1/namespaces/default/notes`;
const note = (name: string, text = '') => ({ apiVersion: `${group}/v1`, kind: 'Note', metadata: { name }, text });

interface Identity {
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
}

function statusOf(path: string, headers: Record<string, string> = {}, identity: Identity = {}): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(`${server.url}${path}`, { ca: server.ca, agent: false, headers, ...identity }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject);
    sent.end();
  });
}

describe('an SDK server refuses', () => {
  const proxyHeaders = { 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' };
  const stranger = () => {
    const ca = certificate('tsukube-sdk-ca', { for: 'authority' });
    const { pem, key } = certificate('admin', { for: 'client' }, { issuer: ca });
    return { cert: pem, key };
  };

  it.each<[string, string, Record<string, string>, number]>([
    ['resources without credentials', place, {}, 401],
    ['discovery without credentials', '/apis', {}, 401],
    ['metrics without credentials', '/metrics', {}, 401],
    ['OpenAPI without credentials', '/openapi/v2', {}, 401],
    ['a single health check without credentials', '/readyz/storage', {}, 401],
    ['a wrong token', place, { authorization: 'Bearer wrong' }, 401],
    ['X-Remote-User without a proxy certificate', place, proxyHeaders, 401],
    ['X-Remote-User beside a token', place, { ...proxyHeaders, authorization: 'Bearer right' }, 403],
    ['a user without rights', place, { authorization: 'Bearer right' }, 403],
    ['impersonation by a user without rights', place, { authorization: 'Bearer right', 'impersonate-user': 'admin' }, 403],
  ])('%s', async (_, path, headers, status) => {
    expect(await statusOf(path, headers)).toBe(status);
  });

  it('a client certificate of another CA with the same name', async () => {
    expect(await statusOf(place, {}, stranger())).toBe(401);
    expect(await statusOf(place, proxyHeaders, stranger())).toBe(401);
  });

  it('no client with the admin certificate', async () => {
    const { cert, key } = client.tls;
    expect(await statusOf(place, {}, { cert, key })).toBe(200);
  });

  it('no request for health and version', async () => {
    for (const path of ['/healthz', '/livez', '/readyz', '/version']) expect(await statusOf(path)).toBe(200);
  });

  it('clients that do not trust it', async () => {
    const { pem: ca } = certificate('other', { for: 'authority' });
    const failed = new Promise<Error>((resolve) => request(server.url, { ca, agent: false }).on('error', resolve).end());
    expect((await failed).message).toMatch(/certificate/);
  });
});

describe('without authentication and admin', () => {
  it('unauthenticated clients reach only health and version', async () => {
    const bare = await serve({ resources: [notes], port: 0, admin: false });
    const { cert, key } = client.tls;
    const ask = (path: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const sent = request(`${bare.url}${path}`, { ca: bare.ca, agent: false, cert, key }, ({ statusCode }) =>
          resolve(statusCode),
        );
        sent.on('error', reject);
        sent.end();
      });
    expect(bare.kubeconfig).toBe('');
    expect([await ask(place), await ask('/apis'), await ask('/readyz')]).toEqual([401, 401, 200]);
    await expect(bare.client()).rejects.toThrow('no own admin');
    await bare.close();
  });
});

describe('an SDK server survives', () => {
  it.each([
    ['a body that is too large', 'POST', place, `"${'x'.repeat(4 << 20)}"`, 413],
    ['a body that is not JSON', 'POST', place, '{"a":', 400],
    ['a body that is nested too deeply', 'POST', place, '['.repeat(100_000), 400],
    ['a name that leaves the collection', 'GET', `${place}/..%2f..%2fsecrets`, undefined, 404],
    ['a path with a wrong escape', 'GET', `${place}/%zz`, undefined, 400],
    [
      'a continue token of another prefix',
      'GET',
      `${place}?continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiIuLi8uLi94In0`,
      undefined,
      400,
    ],
    ['a subresource named __proto__', 'GET', `${place}/a/__proto__`, undefined, 404],
    ['a resource named constructor', 'GET', `/apis/${group}/v1/constructor`, undefined, 404],
  ])('%s', async (_, method, path, body, status) => {
    const answer = await client.send(method, path, body);
    expect([answer.status, (await client.get('/readyz')).text]).toEqual([status, 'ok']);
  });

  it('100,000 objects of a list, without holding the event loop', { timeout: 60_000 }, async () => {
    await client.send('POST', place, note('a'));
    const list = `/apis/${group}/v1/namespaces/sand/grains`;
    const table = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };
    for (const [path, headers] of [
      [`${list}?limit=3&labelSelector=odd%3D1`, {}],
      [`${list}?limit=3`, table],
    ] as const) {
      const holds: number[] = [];
      // A collection of garbage may fall into one run.
      for (let run = 0; run < 3; run++) {
        const { result, hold } = await holdOf(() => client.get(path, headers));
        expect(result.text).toContain('"grain-1"');
        holds.push(hold.longest);
      }
      expect(Math.min(...holds)).toBeLessThan(50);
    }
  });
});
