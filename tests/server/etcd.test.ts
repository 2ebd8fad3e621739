import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningServer, startServer } from '@tsukube/server';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Client, clientFor, type Reply } from '../support/client.ts';
import { etcdMissing, type RunningEtcd, startEtcd } from '../support/etcd.ts';
import { configMap, newNamespace } from '../support/server.ts';

describe.skipIf(etcdMissing)('two servers on one etcd', () => {
  let etcd: RunningEtcd;
  const dataDirs = [1, 2].map(() => mkdtempSync(join(tmpdir(), 'tsukube-replica-')));
  let servers: RunningServer[];
  let one: Client;
  let other: Client;

  beforeAll(async () => {
    etcd = await startEtcd();
    servers = await Promise.all(dataDirs.map((dataDir) => startServer({ etcdServers: [etcd.endpoint], dataDir, securePort: 0 })));
    [one, other] = servers.map((server) => clientFor(server.kubeconfig)) as [Client, Client];
  });

  afterAll(async () => {
    for (const client of [one, other]) client.close();
    await Promise.all(servers.map((server) => server.close()));
    await etcd.stop();
    for (const dataDir of dataDirs) rmSync(dataDir, { recursive: true });
  });

  it('see each other’s writes immediately', async () => {
    const path = await newNamespace(one);
    for (let i = 0; i < 30; i++) {
      const [writer, reader] = i % 2 ? [one, other] : [other, one];
      const { body } = await writer.send('POST', path, configMap(`c${i}`));
      expect((await reader.get(`${path}/c${i}`)).body).toEqual(body);
      expect((await reader.get(path)).body.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toContain(
        `c${i}`,
      );
    }
  });

  it('apply a new role: the writer immediately, the other soon', async () => {
    const path = await newNamespace(one);
    const namespace = path.split('/')[4] as string;
    const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
    const asAnn = async (client: Client) => (await client.get(path, { 'impersonate-user': 'ann' })).status;
    for (let i = 0; i < 10; i++) {
      const binding = { metadata: { name: `view-${i}` }, roleRef, subjects: [{ kind: 'User', name: 'ann' }] };
      expect((await one.send('POST', `${rbac}/rolebindings`, binding)).status).toBe(201);
      expect(await asAnn(one)).toBe(200);
      await expect.poll(() => asAnn(other)).toBe(200);
      await one.send('DELETE', `${rbac}/rolebindings/view-${i}`);
      expect(await asAnn(one)).toBe(403);
      await expect.poll(() => asAnn(other)).toBe(403);
    }
  });

  it('share revisions, so that a watch can resume on the other', async () => {
    const path = await newNamespace(one);
    const first = (await one.send('POST', path, configMap('a'))).body.metadata.resourceVersion;
    const watch = await other.watch(`${path}?watch=1&resourceVersion=${first}`);
    await one.send('POST', path, configMap('b'));
    await other.send('PUT', `${path}/a`, configMap('a', {}, { n: '1' }));
    const seen: string[] = [];
    while (seen.length < 2) {
      const { type, object } = await watch.next();
      if (object.metadata.name !== 'kube-root-ca.crt') seen.push(`${type} ${object.metadata.name}`);
    }
    expect(seen).toEqual(['ADDED b', 'MODIFIED a']);
    watch.close();
  });

  it('never allocate a ClusterIP or node port twice', async () => {
    const path = (await newNamespace(one)).replace(/configmaps$/, 'services');
    const spec = { type: 'NodePort', ports: [{ port: 80 }] };
    const create = (i: number) => {
      const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: `s${i}` }, spec };
      return (i % 2 ? one : other).send('POST', path, service);
    };
    const made = await Promise.all(Array.from({ length: 40 }, (_, i) => create(i)));
    expect(made.map(({ status }) => status)).toEqual(made.map(() => 201));
    expect(new Set(made.map(({ body }) => body.spec.clusterIP)).size).toBe(40);
    expect(new Set(made.map(({ body }) => body.spec.ports[0].nodePort)).size).toBe(40);
    const [{ body: first }] = made as [Reply];
    const taken = { clusterIP: first.spec.clusterIP, ports: [{ port: 80 }] };
    const second = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'late' }, spec: taken };
    expect((await other.send('POST', path, second)).text).toContain('provided IP is already allocated');
    await one.send('DELETE', `${path}/${first.metadata.name}`);
    expect((await other.send('POST', path, second)).status).toBe(201);
  });

  it('are both endpoints of the Service kubernetes', async () => {
    const ports = servers.map(({ url }) => Number(new URL(url).port)).sort((a, b) => a - b);
    await vi.waitFor(async () => {
      const { subsets } = (await one.get('/api/v1/namespaces/default/endpoints/kubernetes')).body;
      expect(subsets.map((subset: { ports: { port: number }[] }) => subset.ports[0]?.port)).toEqual(ports);
    }, 15_000);
  });

  it('report that an object is too large for etcd', async () => {
    const data = { x: 'y'.repeat(2_000_000) };
    const revision = { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: { name: 'big' }, revision: 1, data };
    const { status, body } = await one.send('POST', '/apis/apps/v1/namespaces/default/controllerrevisions', revision);
    expect([status, body]).toEqual([
      500,
      {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'etcdserver: request is too large',
        code: 500,
      },
    ]);
  });

  it('publish the CAs of both, and become idle', async () => {
    const path = await newNamespace(one);
    const bundle = async () => (await one.get(`${path}/kube-root-ca.crt`)).body.data?.['ca.crt'] ?? '';
    const authorities = [one, other].map((client) => client.tls.ca.toString());
    await expect.poll(async () => (await bundle()).match(/BEGIN/g)?.length).toBe(2);
    for (const ca of authorities) expect(await bundle()).toContain(ca);
    const { resourceVersion } = (await one.get(`${path}/kube-root-ca.crt`)).body.metadata;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await other.get(`${path}/kube-root-ca.crt`)).body.metadata.resourceVersion).toBe(resourceVersion);
  });

  it('lose no concurrent update of an object', async () => {
    const path = await newNamespace(one);
    await one.send('POST', path, configMap('a'));
    const patch = (client: Client, key: string) =>
      client.send('PATCH', `${path}/a`, { data: { [key]: 'v' } }, { 'content-type': 'application/merge-patch+json' });
    await Promise.all(Array.from({ length: 20 }, (_, i) => patch(i % 2 ? one : other, `k${i}`)));
    expect(Object.keys((await one.get(`${path}/a`)).body.data)).toHaveLength(20);
  });
});
