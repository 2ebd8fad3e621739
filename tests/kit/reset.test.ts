import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KubernetesObject, startServer, type TestServer } from 'tsukube';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

const crd = (plural: string, kind: string) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${plural}.example.com` },
  spec: {
    group: `${plural}.example.com`,
    names: { plural, singular: kind.toLowerCase(), kind },
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
});
const configMap = (name: string, namespace = 'default') => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
});
const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web' },
  spec: { type: 'NodePort', clusterIP: '10.0.0.77', ports: [{ port: 80, nodePort: 30_077 }] },
};
const lastObjects = ['/api/v1/namespaces/default/services/kubernetes', '/apis/apiregistration.k8s.io/v1/apiservices/v1.apps'];

/** All objects by path, without those that the server renews. */
async function everything(server: TestServer): Promise<Record<string, KubernetesObject>> {
  const found: Record<string, KubernetesObject> = {};
  for (const base of await groupVersions(server)) {
    const { resources } = await json<{ resources: { name: string; verbs: string[] }[] }>(server, base);
    for (const { name } of resources.filter(
      ({ name, verbs }) => verbs.includes('list') && name !== 'leases' && name !== 'events',
    )) {
      const { items = [] } = await json<{ items?: KubernetesObject[] }>(server, `${base}/${name}`);
      for (const item of items) found[`${base}/${name}/${item.metadata?.namespace ?? ''}/${item.metadata?.name}`] = spec(item);
    }
  }
  return found;
}

async function groupVersions(server: TestServer): Promise<string[]> {
  const { groups } = await json<{ groups: { versions: { groupVersion: string }[] }[] }>(server, '/apis');
  return ['/api/v1', ...groups.flatMap(({ versions }) => versions.map(({ groupVersion }) => `/apis/${groupVersion}`))];
}

/** The object with its uid, without resourceVersion and status. */
function spec({ metadata, status: _, ...rest }: KubernetesObject): KubernetesObject {
  const { resourceVersion: __, managedFields: ___, ...stable } = metadata ?? {};
  return { ...rest, metadata: stable } as KubernetesObject;
}

async function json<T>(server: TestServer, path: string): Promise<T> {
  return (await (await server.fetch(path)).json()) as T;
}

async function settled(server: TestServer): Promise<void> {
  for (const path of lastObjects)
    await vi.waitFor(async () => expect((await server.fetch(path)).status).toBe(200), { timeout: 10_000 });
}

/** Creates, updates and deletes objects of many kinds. */
async function disturb(server: TestServer): Promise<void> {
  const finalized = { ...configMap('finalized'), metadata: { name: 'finalized', finalizers: ['example.com/never'] } };
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } };
  const gadget = { apiVersion: 'gadgets.example.com/v1', kind: 'Gadget', metadata: { name: 'g', namespace: 'other' }, a: 1 };
  await server.apply([crd('gadgets', 'Gadget'), gadget, namespace, service, finalized, configMap('a'), configMap('a', 'other')]);
  await server.fetch('/api/v1/namespaces/default/configmaps/finalized', { method: 'DELETE' });
  await server.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default', labels: { changed: 'yes' } } });
  await server.fetch('/apis/widgets.example.com/v1/namespaces/default/widgets/w', { method: 'DELETE' });
  await server.fetch('/apis/rbac.authorization.k8s.io/v1/clusterroles/view', { method: 'DELETE' });
  await server.fetch('/api/v1/namespaces/kube-public', { method: 'DELETE' });
}

async function createMany(server: TestServer, prefix: string, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const body = configMap(`${prefix}-${n}`);
    const response = await server.fetch('/api/v1/namespaces/default/configmaps', { method: 'POST', body });
    expect(response.status).toBe(201);
    await response.arrayBuffer();
  }
}

const widget = { apiVersion: 'widgets.example.com/v1', kind: 'Widget', metadata: { name: 'w' }, size: 1 };
const given = { crds: crd('widgets', 'Widget'), manifests: [widget, configMap('given')] };

// Loading the sources takes longer than any test.
beforeAll(async () => (await startServer()).close());

describe.each(['memory', 'lmdb'] as const)('reset with storage %s', (storage) => {
  const folder = mkdtempSync(join(tmpdir(), 'tsukube-reset-'));
  const start = () => startServer({ ...given, storage, dataDir: storage === 'lmdb' ? join(folder, 'data') : undefined });
  let server: TestServer;
  let atStart: Record<string, KubernetesObject>;

  beforeAll(async () => {
    server = await start();
    await settled(server);
    atStart = await everything(server);
  });

  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  it('does nothing if nothing has changed', async () => {
    expect(Object.keys(atStart)).toContain('/apis/widgets.example.com/v1/widgets/default/w');
    await server.reset();
    expect(await everything(server)).toEqual(atStart);
  });

  it('deletes created objects, restores changed and deleted ones', async () => {
    await disturb(server);
    expect(await everything(server)).not.toEqual(atStart);
    await server.reset();
    expect(await everything(server)).toEqual(atStart);
    expect((await server.fetch('/apis/gadgets.example.com/v1')).status).toBe(404);
  });

  it('can be called repeatedly; names, ClusterIPs and node ports are free again', async () => {
    for (let i = 0; i < 3; i++) {
      await disturb(server);
      expect((await server.fetch('/apis/gadgets.example.com/v1/namespaces/other/gadgets/g')).status).toBe(200);
      await server.reset();
    }
    expect(await everything(server)).toEqual(atStart);
  });

  it('sends events to open watches, which stay open', async () => {
    const path = '/api/v1/namespaces/default/configmaps';
    const gone = new AbortController();
    const { metadata } = await json<{ metadata: { resourceVersion: string } }>(server, path);
    const watch = await server.fetch(`${path}?watch=1&resourceVersion=${metadata.resourceVersion}`, { signal: gone.signal });
    await server.apply(configMap('first'));
    await server.reset();
    await server.apply(configMap('second'));
    const events: { type: string; object: KubernetesObject }[] = [];
    let text = '';
    for await (const chunk of watch.body as AsyncIterable<Uint8Array>) {
      const lines = (text + Buffer.from(chunk).toString()).split('\n');
      text = lines.pop() as string;
      events.push(...lines.map((line) => JSON.parse(line)));
      if (events.length >= 3) break;
    }
    gone.abort();
    expect(events.map(({ type, object }) => `${type} ${object.metadata?.name}`)).toEqual([
      'ADDED first',
      'DELETED first',
      'ADDED second',
    ]);
    const versions = events.map(({ object }) => Number(object.metadata?.resourceVersion));
    expect(versions).toEqual([...versions].sort((a, b) => a - b));
    await server.reset();
  });

  it('takes milliseconds for hundreds of objects', async () => {
    const times: number[] = [];
    for (let i = 0; i < 4; i++) {
      await Promise.all(Array.from({ length: 10 }, (_, writer) => createMany(server, `many-${writer}`, 30)));
      const began = process.cpuUsage();
      await server.reset();
      const { user, system } = process.cpuUsage(began);
      times.push((user + system) / 1000);
    }
    // CPU time, because other programs may run. The sources in the test runner are slower than the bundle.
    expect(Math.min(...times)).toBeLessThan(storage === 'memory' ? 20 : 60);
    expect(await everything(server)).toEqual(atStart);
  });
});
