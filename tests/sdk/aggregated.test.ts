import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AggregatedOptions, defineResource, serveAggregated } from '@tsukube/sdk';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { placeOf } from '../docs/documents.ts';
import { hostAddress } from '../kubelet/setup.ts';
import { certificate } from '../support/certificates.ts';
import { useServer } from '../support/server.ts';
import { startProgram } from './example-process.ts';
import { get } from './whoami-server.ts';

const t = useServer();
const notes = (group: string) =>
  defineResource({ group, version: 'v1', kind: 'Note', schema: { type: 'object', properties: { text: { type: 'string' } } } });
const noteApi = (group: string) => `/apis/${group}/v1/namespaces/default/notes`;

/** The options for a server at `localhost`, with a group and a Service of its own. */
function localOptions(name: string): AggregatedOptions {
  const service = { namespace: 'default', name, host: 'localhost' };
  return { resources: [notes(`${name}.example.com`)], service, kubeconfig: t.server.kubeconfig, onError: () => {} };
}

async function bind(name: string, verbs: readonly string[], user: string): Promise<void> {
  const apiGroup = 'rbac.authorization.k8s.io';
  const rules = [{ apiGroups: ['*'], resources: ['notes'], verbs }];
  await t.client.send('POST', `/apis/${apiGroup}/v1/clusterroles`, { metadata: { name }, rules });
  const roleRef = { apiGroup, kind: 'ClusterRole', name };
  const subjects = [{ apiGroup, kind: 'User', name: user }];
  await t.client.send('POST', `/apis/${apiGroup}/v1/clusterrolebindings`, { metadata: { name }, roleRef, subjects });
}

describe('an aggregated API server', () => {
  const group = 'notes.example.com';
  let server: Awaited<ReturnType<typeof serveAggregated>>;
  beforeAll(async () => {
    await bind('reader', ['list'], 'jane');
    await bind('robot', ['list'], 'system:serviceaccount:default:robot');
    server = await serveAggregated(localOptions('notes'));
    await server.available();
  });
  afterAll(() => server.close());

  it('serves discovery, writes and watches through the main server', async () => {
    const note = { apiVersion: `${group}/v1`, kind: 'Note', metadata: { name: 'a' }, text: 'x' };
    const watch = await t.client.watch(`${noteApi(group)}?watch=true`);
    expect((await t.client.send('POST', noteApi(group), note)).status).toBe(201);
    expect(await watch.next()).toMatchObject({ type: 'ADDED', object: { text: 'x' } });
    watch.close();
    const { body } = await t.client.get(`/apis/${group}/v1`);
    expect(body.resources.map(({ name }: { name: string }) => name)).toContain('notes');
  });

  it('authorizes the impersonated user', async () => {
    const as = (user: string) => ({ 'impersonate-user': user });
    expect((await t.client.get(noteApi(group), as('jane'))).status).toBe(200);
    const { status, body } = await t.client.send('DELETE', `${noteApi(group)}/a`, undefined, as('jane'));
    expect([status, body.message]).toEqual([403, expect.stringContaining('User "jane" cannot delete resource "notes"')]);
    expect((await t.client.get(noteApi(group), as('joe'))).status).toBe(403);
  });

  it('does not accept identity headers of a client that calls it directly', async () => {
    const headers = { 'x-remote-user': 'jane', 'x-remote-group': 'system:masters' };
    const url = server.url + noteApi(group);
    expect((await get(url, { headers }))[0]).toBe(403);
    const forged = certificate('front-proxy-client', { for: 'client' });
    expect((await get(url, { headers, client: forged }))[0]).toBe(401);
    expect((await t.client.get(noteApi(group), { ...headers, 'impersonate-user': 'joe' })).status).toBe(403);
  });

  it('accepts tokens of the main server when called directly', async () => {
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    await t.client.send('POST', accounts, { metadata: { name: 'robot' } });
    const { body } = await t.client.send('POST', `${accounts}/robot/token`, { spec: {} });
    const headers = { authorization: `Bearer ${body.status.token}` };
    expect((await get(server.url + noteApi(group), { headers }))[0]).toBe(200);
    expect((await get(`${server.url}${noteApi(group)}/a`, { headers }))[0]).toBe(403);
  });

  it('makes a new certificate when the Secret is deleted, and the main server verifies it', async () => {
    const before = server.ca;
    await t.client.send('DELETE', '/api/v1/namespaces/default/secrets/notes-serving-cert');
    await server.registration.refresh();
    expect(server.ca).not.toBe(before);
    const { body } = await t.client.get(`/apis/apiregistration.k8s.io/v1/apiservices/v1.${group}`);
    expect(Buffer.from(body.spec.caBundle, 'base64').toString()).toBe(server.ca);
    const read = async () => expect((await t.client.get(noteApi(group))).status).toBe(200);
    await vi.waitFor(read, { timeout: 10_000, interval: 20 });
    await server.available();
  });
});

it('nothing keeps running if it cannot be registered', async () => {
  const options = { ...localOptions('refused'), apis: [{ group: 'refused.example.com', version: 'V1!' }] };
  await expect(serveAggregated(options)).rejects.toThrow(/Invalid value/);
  await expect(serveAggregated({ ...localOptions('nowhere'), kubeconfig: '/nonexistent' })).rejects.toThrow(/nonexistent/);
});

it('is removed on request', async () => {
  const server = await serveAggregated({ ...localOptions('brief'), unregisterOnClose: true });
  await server.available();
  await server.close();
  expect((await t.client.get('/apis/apiregistration.k8s.io/v1/apiservices/v1.brief.example.com')).status).toBe(404);
  expect((await t.client.get('/api/v1/namespaces/default/services/brief')).status).toBe(404);
});

const replica = `import { defineResource, serveAggregated } from '@tsukube/sdk';
const items = [{ metadata: { name: String(process.pid) } }];
const resources = [defineResource({ group: 'replicas.example.com', version: 'v1', kind: 'Replica', scope: 'Cluster',
  schema: { type: 'object' }, storage: { get: () => items[0], list: () => items } })];
const server = await serveAggregated({ resources, service: { namespace: 'default', name: 'replicas' } });
console.log('serving on ' + server.url);
`;

describe.runIf(hostAddress)('two replicas', () => {
  it('share the requests, and no read fails when one is killed', { timeout: 90_000 }, async () => {
    const folder = placeOf(join('.cache', `replicas-${process.pid}`));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'replica.ts'), replica);
    writeFileSync(join(folder, 'kubeconfig'), t.server.kubeconfig, { mode: 0o600 });
    const env = { KUBECONFIG: join(folder, 'kubeconfig') };
    const start = () => startProgram(join(folder, 'replica.ts'), env);
    const [first, second] = await Promise.all([start(), start()]);
    try {
      const failures: unknown[] = [];
      const answered = new Set<string>();
      const read = async () => {
        const { status, text } = await t.client.get('/apis/replicas.example.com/v1/replicas');
        if (status !== 200) return void failures.push([status, text]);
        answered.add(JSON.parse(text).items[0].metadata.name);
      };
      await vi.waitFor(async () => expect((await t.client.get('/apis/replicas.example.com/v1/replicas')).status).toBe(200), {
        timeout: 30_000,
        interval: 50,
      });
      await vi.waitFor(
        async () => {
          await Promise.all([read(), read(), read(), read()]);
          expect(answered.size).toBe(2);
        },
        { timeout: 30_000, interval: 20 },
      );
      let isOver = false;
      const load = Promise.all(
        Array.from({ length: 4 }, async () => {
          for (let after = 0; after < 50; after += isOver ? 1 : 0) await read();
        }),
      );
      await first.kill();
      isOver = true;
      answered.clear();
      await load;
      expect(failures).toEqual([]);
      expect(answered.size).toBe(1);
    } finally {
      await Promise.all([first.kill(), second.kill()]);
      rmSync(folder, { recursive: true });
    }
  });
});
