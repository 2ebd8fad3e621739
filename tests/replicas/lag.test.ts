import { setTimeout as pause } from 'node:timers/promises';
import { type RunningServer, startServer } from '@tsukube/server';
import type { Store } from '@tsukube/storage';
import { openMemory } from '@tsukube/storage/memory';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Any, type Client, clientFor } from '../support/client.ts';
import { createDefinition, definition } from '../support/definitions.ts';
import { configMap, newNamespace } from '../support/server.ts';

const lagMs = 300;
const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** The store as a replica sees it whose change stream is late. */
function lateView(store: Store, delayMs: number): Store {
  return {
    revision: () => store.revision(),
    get: (key) => store.get(key),
    list: (prefix, options) => store.list(prefix, options),
    create: (key, value, options) => store.create(key, value, options),
    update: (key, value, expected, options) => store.update(key, value, expected, options),
    delete: (key, expected, options) => store.delete(key, expected, options),
    cancelledUnderWay: () => store.cancelledUnderWay(),
    async *watch(prefix, from, signal) {
      for await (const batch of store.watch(prefix, from, signal)) {
        if (delayMs > 0) await pause(delayMs);
        yield batch;
      }
    },
    compact: (revision) => store.compact(revision),
    ping: () => store.ping(),
    async close() {},
  };
}

describe('a replica whose change stream is late', () => {
  const store = openMemory();
  let servers: RunningServer[];
  let current: Client;
  let late: Client;

  beforeAll(async () => {
    const start = (delayMs: number) =>
      startServer({ securePort: 0, storage: 'memory', openStore: async () => lateView(store, delayMs) });
    servers = [await start(0), await start(lagMs)];
    [current, late] = servers.map(({ kubeconfig }) => clientFor(kubeconfig)) as [Client, Client];
  });
  afterAll(async () => {
    for (const client of [current, late]) client.close();
    await Promise.all(servers.map((server) => server.close()));
    await store.close();
  });

  it('answers reads with the writes of the other', async () => {
    const path = await newNamespace(current);
    const { body } = await current.send('POST', path, configMap('a'));
    expect((await late.get(`${path}/a`)).body).toEqual(body);
  });

  it('serves a custom resource at once when its definition is established', async () => {
    const path = await createDefinition(current, definition('widgets', { group: 'lag.example.com' }));
    const { status } = await late.get(path);
    expect(status).toBe(200);
    const object = { apiVersion: 'lag.example.com/v1', kind: 'Widget', metadata: { name: 'a' } };
    expect((await late.send('POST', path, object)).status).toBe(201);
  });

  it('answers requests for what is not defined anywhere with 404', async () => {
    expect((await late.get('/apis/lag.example.com/v1/nothings')).status).toBe(404);
    expect((await late.get('/apis/nowhere.example.com/v1/things')).status).toBe(404);
  });

  it('no longer serves a definition that the other has deleted, once it has heard of it', async () => {
    const path = await createDefinition(current, definition('gones', { group: 'lag.example.com' }));
    await current.send('DELETE', `${crds}/gones.lag.example.com`);
    await expect.poll(async () => (await late.get(path)).status, { timeout: 10_000 }).toBe(404);
  });
});

describe('two replicas whose change streams are late', () => {
  it('accept the names of the oldest of three definitions that claim the same', async () => {
    const store = openMemory();
    const start = () => startServer({ securePort: 0, storage: 'memory', openStore: async () => lateView(store, lagMs) });
    const servers = await Promise.all([start(), start()]);
    const clients = servers.map(({ kubeconfig }) => clientFor(kubeconfig)) as [Client, Client];
    const names = { singular: 'contested', kind: 'Contested' };
    const plurals = ['ones', 'others', 'thirds'];
    const claims = plurals.map((plural) => definition(plural, { group: 'names.example.com', names }));
    const made = await Promise.all(claims.map((claim, i) => (clients[i % 2] as Client).send('POST', crds, claim)));
    const accepted = async () => {
      const replies = await Promise.all(claims.map(({ metadata }) => clients[0].get(`${crds}/${metadata.name}`)));
      return replies.map(({ body }) => conditionOf(body, 'NamesAccepted'));
    };
    await expect.poll(accepted, { timeout: 10_000 }).not.toContain(undefined);
    const versions = made.map(({ body }) => Number(body.metadata.resourceVersion));
    expect(await accepted()).toEqual(versions.map((version) => (version === Math.min(...versions) ? 'True' : 'False')));
    for (const client of clients) client.close();
    await Promise.all(servers.map((server) => server.close()));
    await store.close();
  });
});

function conditionOf(object: Any, name: string): string | undefined {
  return object.status?.conditions?.find(({ type }: Any) => type === name)?.status;
}
