import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningServer, startServer } from '@tsukube/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Any, type Client, clientFor, type Reply } from '../support/client.ts';
import { createDefinition, definition } from '../support/definitions.ts';
import { etcdMissing, type RunningEtcd, startEtcd } from '../support/etcd.ts';
import { rawRequest } from '../support/raw-request.ts';
import { configMap, newNamespace } from '../support/server.ts';

/** Objects that a server creates at its start. */
const bootstrapLists = [
  '/api/v1/namespaces',
  '/apis/rbac.authorization.k8s.io/v1/clusterroles',
  '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
  '/apis/rbac.authorization.k8s.io/v1/roles',
  '/apis/rbac.authorization.k8s.io/v1/rolebindings',
  '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas',
  '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations',
  '/apis/scheduling.k8s.io/v1/priorityclasses',
  '/apis/networking.k8s.io/v1/servicecidrs',
  '/apis/networking.k8s.io/v1/ipaddresses',
  '/apis/apiregistration.k8s.io/v1/apiservices',
  '/api/v1/services',
];

async function namesIn(client: Client, path: string): Promise<string[]> {
  const { items } = (await client.get(path)).body;
  return items.map(({ metadata }: Any) => `${metadata.namespace ?? ''}/${metadata.name}`).sort();
}

describe.skipIf(etcdMissing)('three replicas that start at the same moment on an empty store', () => {
  let etcd: RunningEtcd;
  let servers: RunningServer[];
  let clients: Client[];
  const folder = mkdtempSync(join(tmpdir(), 'tsukube-safety-'));
  const ends: (() => Promise<unknown> | unknown)[] = [];

  beforeAll(async () => {
    etcd = await startEtcd();
    const options = { etcdServers: [etcd.endpoint], certDir: join(folder, 'pki'), securePort: 0 };
    servers = await Promise.all([0, 1, 2].map((i) => startServer({ ...options, dataDir: join(folder, `r${i}`) })));
    clients = servers.map(({ kubeconfig }) => clientFor(kubeconfig));
  });
  afterAll(async () => {
    for (const client of clients) client.close();
    await Promise.all(servers.map((server) => server.close()));
    for (const end of ends) await end();
    await etcd.stop();
    rmSync(folder, { recursive: true });
  });

  /** Sends requests over all replicas at the same time. */
  const overAll = (count: number, send: (client: Client, i: number) => Promise<Reply>): Promise<Reply[]> =>
    Promise.all(Array.from({ length: count }, (_, i) => send(clients[i % clients.length] as Client, i)));

  it('have the bootstrap objects of one server, once', { timeout: 60_000 }, async () => {
    const single = await startServer({ storage: 'memory', securePort: 0 });
    ends.push(() => single.close());
    const reference = clientFor(single.kubeconfig);
    ends.push(() => reference.close());
    for (const path of bootstrapLists) {
      const expected = () => namesIn(reference, path);
      for (const client of clients)
        await expect.poll(() => namesIn(client, path), { timeout: 20_000, message: path }).toEqual(await expected());
    }
    const uids = await Promise.all(
      clients.map(async (client) => (await client.get('/api/v1/namespaces/default')).body.metadata.uid),
    );
    expect(new Set(uids).size).toBe(1);
    for (const client of clients)
      await expect.poll(async () => (await client.get('/readyz')).text, { timeout: 20_000 }).toBe('ok');
  });

  it('create an object of a name once, and every object has its own uid', async () => {
    const [first] = clients as [Client];
    const path = await newNamespace(first);
    const same = await overAll(48, (client) => client.send('POST', path, configMap('same')));
    expect(same.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 47 }, () => 409)]);
    const created = same.find(({ status }) => status === 201)?.body.metadata.uid;
    for (const client of clients) expect((await client.get(`${path}/same`)).body.metadata.uid).toBe(created);
    const generated = await overAll(64, (client) => client.send('POST', path, { metadata: { generateName: 'g-' } }));
    expect(generated.map(({ status }) => status)).toEqual(generated.map(() => 201));
    for (const field of ['uid', 'name', 'resourceVersion'])
      expect(new Set(generated.map(({ body }) => body.metadata[field])).size).toBe(generated.length);
  });

  it('allocate no ClusterIP and no node port twice', async () => {
    const [first, second, third] = clients as [Client, Client, Client];
    const path = (await newNamespace(first)).replace(/configmaps$/, 'services');
    const service = (name: string, spec: object) => ({ apiVersion: 'v1', kind: 'Service', metadata: { name }, spec });
    const spec = { type: 'NodePort', ports: [{ port: 80 }] };
    const made = await overAll(64, (client, i) => client.send('POST', path, service(`s${i}`, spec)));
    expect(made.map(({ status }) => status)).toEqual(made.map(() => 201));
    expect(new Set(made.map(({ body }) => body.spec.clusterIP)).size).toBe(64);
    expect(new Set(made.map(({ body }) => body.spec.ports[0].nodePort)).size).toBe(64);
    // One address for several: one gets it, and it is free again after a deletion, on every replica.
    const { clusterIP, ports } = made[0]?.body.spec ?? {};
    await second.send('DELETE', `${path}/s0`);
    const claim = { ...spec, clusterIP, ports: [{ port: 80, nodePort: ports[0].nodePort }] };
    const claims = await overAll(9, (client, i) => client.send('POST', path, service(`claim-${i}`, claim)));
    expect(claims.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 8 }, () => 422)]);
    expect((await third.get(`/apis/networking.k8s.io/v1/ipaddresses/${clusterIP}`)).body.spec.parentRef.name).toMatch(/^claim-/);
  });

  it('continue a list of another replica, at its resourceVersion', async () => {
    const [first] = clients as [Client];
    const path = await newNamespace(first);
    await overAll(30, (client, i) => client.send('POST', path, configMap(`c-${String(i).padStart(2, '0')}`)));
    await expect.poll(async () => (await first.get(`${path}/kube-root-ca.crt`)).status).toBe(200);
    const found: string[] = [];
    const versions = new Set<string>();
    for (let [token, page] = ['', 0]; page === 0 || token !== ''; page++) {
      const client = clients[page % clients.length] as Client;
      const { status, body } = await client.get(`${path}?limit=4&continue=${encodeURIComponent(token)}`);
      expect(status).toBe(200);
      found.push(...body.items.map(({ metadata }: Any) => metadata.name));
      versions.add(body.metadata.resourceVersion);
      token = body.metadata.continue ?? '';
      // Changes in between are not part of the list.
      await client.send('POST', path, configMap(`late-${page}`));
      await client.send('DELETE', `${path}/c-${29 - page}`);
    }
    expect(found).toEqual([...Array.from({ length: 30 }, (_, i) => `c-${String(i).padStart(2, '0')}`), 'kube-root-ca.crt']);
    expect(versions.size).toBe(1);
  });

  it('accept service account tokens of each other, until they are revoked', async () => {
    const [first, second, third] = clients as [Client, Client, Client];
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    expect((await first.send('POST', accounts, { metadata: { name: 'robot' } })).status).toBe(201);
    const { body } = await second.send('POST', `${accounts}/robot/token`, { spec: { expirationSeconds: 600 } });
    const whoAmI = async (client: Client) => {
      const headers = { authorization: `Bearer ${body.status.token}` };
      const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
      return rawRequest(client, 'POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', headers, review);
    };
    for (const client of clients)
      expect((await whoAmI(client)).body.status?.userInfo.username).toBe('system:serviceaccount:default:robot');
    await third.send('DELETE', `${accounts}/robot`);
    // As in kube-apiserver, a successful authentication is cached for ten seconds.
    for (const client of clients) await expect.poll(async () => (await whoAmI(client)).status, { timeout: 15_000 }).toBe(401);
  });

  it('serve a custom resource at once when its definition is established on another replica', async () => {
    for (let i = 0; i < 12; i++) {
      const [creator, ...others] = [0, 1, 2].map((k) => clients[(i + k) % 3]) as [Client, ...Client[]];
      const path = await createDefinition(creator, definition(`gadget${i}s`, { group: 'safety.example.com' }));
      const statuses = await Promise.all(others.map(async (client) => (await client.get(path)).status));
      expect(statuses).toEqual([200, 200]);
      const object = { apiVersion: 'safety.example.com/v1', kind: `Gadget${i}`, metadata: { name: 'a' } };
      const made = await Promise.all(others.map((client) => client.send('POST', path, object)));
      expect(made.map(({ status }) => status).sort()).toEqual([201, 409]);
    }
    expect((await overAll(3, (client) => client.get('/apis/nothing.example.com/v1/things'))).map(({ status }) => status)).toEqual(
      [404, 404, 404],
    );
  });
});
