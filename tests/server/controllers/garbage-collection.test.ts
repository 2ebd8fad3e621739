import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '@tsukube/server';
import { describe, expect, it, vi } from 'vitest';
import { type Any, clientFor } from '../../support/client.ts';
import { createDefinition, definition } from '../../support/definitions.ts';
import { newNamespace, useServer } from '../../support/server.ts';

const t = useServer();
const merge = { 'content-type': 'application/merge-patch+json' };
const polling = { timeout: 10_000, interval: 20 };

async function make(path: string, name: string, owners: readonly Any[] = [], more: Any = {}): Promise<Any> {
  const kind = path.endsWith('configmaps') ? 'ConfigMap' : 'PersistentVolume';
  const ownerReferences = owners.map(({ owner, ...rest }) => ({
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid,
    ...rest,
  }));
  const { metadata, ...spec } = more;
  const object = { apiVersion: 'v1', kind, metadata: { name, ownerReferences, ...metadata }, ...spec };
  const { status, body } = await t.client.send('POST', path, object);
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
}
const get = async (path: string, name: string) => (await t.client.get(`${path}/${name}`)).body;
const isGone = (path: string, name: string) =>
  vi.waitFor(async () => expect((await t.client.get(`${path}/${name}`)).status, name).toBe(404), polling);
const owned = (owner: Any, blockOwnerDeletion?: boolean) => ({ owner, ...(blockOwnerDeletion && { blockOwnerDeletion }) });
const remove = (path: string, name: string, query = '') => t.client.send('DELETE', `${path}/${name}?${query}`);
const release = (path: string, name: string) =>
  t.client.send('PATCH', `${path}/${name}`, { metadata: { finalizers: null } }, merge);

describe('dependents of a deleted object', () => {
  it('are deleted, transitively', async () => {
    const path = await newNamespace(t.client);
    const owner = await make(path, 'owner');
    const child = await make(path, 'child', [owned(owner)]);
    await make(path, 'grandchild', [owned(child)]);
    await make(path, 'stranger');
    expect((await remove(path, 'owner')).body).toMatchObject({ kind: 'Status', status: 'Success' });
    await isGone(path, 'child');
    await isGone(path, 'grandchild');
    expect((await get(path, 'stranger')).metadata.name).toBe('stranger');
  });

  it.each(['propagationPolicy=Orphan', 'orphanDependents=true'])('are orphaned with %s', async (query) => {
    const path = await newNamespace(t.client);
    const owner = await make(path, 'owner');
    await make(path, 'child', [owned(owner)]);
    const { status, body } = await remove(path, 'owner', query);
    expect([status, body.metadata.finalizers, body.metadata.deletionGracePeriodSeconds]).toEqual([200, ['orphan'], 0]);
    await isGone(path, 'owner');
    expect((await get(path, 'child')).metadata.ownerReferences).toBeUndefined();
  });

  it('are deleted first with propagationPolicy=Foreground, if they block', async () => {
    const path = await newNamespace(t.client);
    const owner = await make(path, 'owner');
    await make(path, 'held', [owned(owner, true)], { metadata: { finalizers: ['example.com/hold'] } });
    await make(path, 'free', [owned(owner)]);
    const { body } = await remove(path, 'owner', 'propagationPolicy=Foreground');
    expect(body.metadata.finalizers).toEqual(['foregroundDeletion']);
    await isGone(path, 'free');
    await vi.waitFor(async () => expect((await get(path, 'held')).metadata.deletionTimestamp).toBeDefined(), polling);
    expect((await get(path, 'owner')).metadata.deletionTimestamp).toBeDefined();
    await release(path, 'held');
    await isGone(path, 'held');
    await isGone(path, 'owner');
  });

  it('release their owner when they no longer block', async () => {
    const path = await newNamespace(t.client);
    const owner = await make(path, 'owner');
    const held = await make(path, 'held', [owned(owner, true)], { metadata: { finalizers: ['example.com/hold'] } });
    await remove(path, 'owner', 'propagationPolicy=Foreground');
    await vi.waitFor(async () => expect((await get(path, 'held')).metadata.deletionTimestamp).toBeDefined(), polling);
    const [reference] = held.metadata.ownerReferences;
    const ownerReferences = [{ ...reference, blockOwnerDeletion: false }];
    await t.client.send('PATCH', `${path}/held`, { metadata: { ownerReferences } }, merge);
    await isGone(path, 'owner');
    await release(path, 'held');
  });

  it('are deleted in the foreground recursively, leaves first', async () => {
    const path = await newNamespace(t.client);
    const top = await make(path, 'top');
    const middle = await make(path, 'middle', [owned(top, true)]);
    await make(path, 'leaf', [owned(middle, true)], { metadata: { finalizers: ['example.com/hold'] } });
    await remove(path, 'top', 'propagationPolicy=Foreground');
    await vi.waitFor(async () => expect((await get(path, 'leaf')).metadata.deletionTimestamp).toBeDefined(), polling);
    expect((await get(path, 'middle')).metadata.finalizers).toEqual(['foregroundDeletion']);
    await release(path, 'leaf');
    for (const name of ['leaf', 'middle', 'top']) await isGone(path, name);
  });

  it('are deleted even in a cycle of blocking owners', async () => {
    const path = await newNamespace(t.client);
    const first = await make(path, 'first');
    const second = await make(path, 'second', [owned(first, true)]);
    const { apiVersion, kind, metadata } = second;
    const ownerReferences = [{ apiVersion, kind, name: metadata.name, uid: metadata.uid, blockOwnerDeletion: true }];
    await t.client.send('PATCH', `${path}/first`, { metadata: { ownerReferences } }, merge);
    await remove(path, 'first', 'propagationPolicy=Foreground');
    await isGone(path, 'first');
    await isGone(path, 'second');
  });

  it('stay while another owner exists, and lose the reference to the deleted one', async () => {
    const path = await newNamespace(t.client);
    const [one, two] = [await make(path, 'one'), await make(path, 'two')];
    await make(path, 'child', [owned(one), owned(two)]);
    await remove(path, 'one');
    const refs = async () => (await get(path, 'child')).metadata.ownerReferences?.map(({ name }: Any) => name);
    await vi.waitFor(async () => expect(await refs()).toEqual(['two']), polling);
    await remove(path, 'two');
    await isGone(path, 'child');
  });

  it('can have a cluster-scoped owner', async () => {
    const path = await newNamespace(t.client);
    const classes = '/apis/scheduling.k8s.io/v1/priorityclasses';
    const metadata = { name: `owner-${Date.now()}` };
    const { body } = await t.client.send('POST', classes, { value: 1, metadata });
    await make(path, 'child', [owned(body)]);
    await remove(classes, metadata.name);
    await isGone(path, 'child');
  });
});

describe('a missing owner', () => {
  it.each([
    ['never was', (_: Any) => ({ name: 'nobody', uid: '11111111-2222-3333-4444-555555555555' })],
    ['has another uid for the same name', (owner: Any) => ({ name: owner.metadata.name, uid: 'another' })],
    ['has another name', (owner: Any) => ({ name: 'another', uid: owner.metadata.uid })],
  ])('%s', async (_, reference) => {
    const path = await newNamespace(t.client);
    const owner = await make(path, 'owner');
    await make(path, 'child', [], {
      metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', ...reference(owner) }] },
    });
    await isGone(path, 'child');
  });

  it('is ignored if its kind is unknown', async () => {
    const path = await newNamespace(t.client);
    const [gone, child] = [await make(path, 'gone'), 'child'];
    const unknown = { apiVersion: 'example.com/v1', kind: 'Thing', name: 'x', uid: 'x' };
    await make(path, child, [owned(gone)]);
    await t.client.send('PATCH', `${path}/${child}`, { metadata: { ownerReferences: [unknown] } }, merge);
    await remove(path, 'gone');
    await make(path, 'marker', [owned(gone)]);
    await isGone(path, 'marker');
    expect((await get(path, child)).metadata.name).toBe(child);
  });

  it('causes an event if it is in another namespace', async () => {
    const [path, other] = [await newNamespace(t.client), await newNamespace(t.client)];
    const owner = await make(other, 'owner');
    const child = await make(path, 'child', [owned(owner)]);
    await isGone(path, 'child');
    const events = path.replace('configmaps', 'events');
    const { items } = (await t.client.get(`${events}?fieldSelector=reason=OwnerRefInvalidNamespace`)).body;
    expect(items).toHaveLength(1);
    const namespace = child.metadata.namespace;
    expect(items[0]).toMatchObject({
      type: 'Warning',
      message: `ownerRef [v1/ConfigMap, namespace: ${namespace}, name: owner, uid: ${owner.metadata.uid}] does not exist in namespace "${namespace}"`,
      involvedObject: { kind: 'ConfigMap', name: 'child', uid: child.metadata.uid },
      source: { component: 'garbage-collector-controller' },
    });
    expect((await get(other, 'owner')).metadata.name).toBe('owner');
  });

  it('does not affect cluster-scoped dependents', async () => {
    const path = await newNamespace(t.client);
    const owner = await make(path, 'owner');
    const volumes = '/api/v1/persistentvolumes';
    const name = `misplaced-${Date.now()}`;
    const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/tmp' } };
    await make(volumes, name, [owned(owner)], { spec });
    const events = `/api/v1/namespaces/default/events?fieldSelector=involvedObject.name=${name}`;
    await vi.waitFor(async () => expect((await t.client.get(events)).body.items).toHaveLength(1), polling);
    expect((await get(volumes, name)).metadata.deletionTimestamp).toBeUndefined();
  });
});

describe('default propagation', () => {
  const template = {
    spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] },
    metadata: { labels: { a: 'b' } },
  };
  const rc = { apiVersion: 'v1', kind: 'ReplicationController', spec: { selector: { a: 'b' }, template: { ...template } } };

  it('Jobs and ReplicationControllers orphan their pods', async () => {
    const path = (await newNamespace(t.client)).replace('configmaps', '');
    const jobs = path.replace('/api/v1', '/apis/batch/v1');
    const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'a' }, spec: { template } };
    expect((await t.client.send('POST', `${jobs}jobs`, job)).status).toBe(201);
    const removed = await t.client.send('DELETE', `${jobs}jobs/a`);
    expect(removed.body.metadata.finalizers).toEqual(['orphan']);
    expect(removed.headers.warning).toContain('child pods are preserved by default when jobs are deleted');
    const template2 = { ...template, spec: { ...template.spec, restartPolicy: 'Always' } };
    const controller = { ...rc, metadata: { name: 'a' }, spec: { ...rc.spec, template: template2 } };
    expect((await t.client.send('POST', `${path}replicationcontrollers`, controller)).status).toBe(201);
    const gone = await t.client.send('DELETE', `${path}replicationcontrollers/a`);
    expect([gone.body.metadata.finalizers, gone.headers.warning]).toEqual([['orphan'], undefined]);
  });

  it('Events have no dependents', async () => {
    const path = (await newNamespace(t.client)).replace('configmaps', 'events');
    const namespace = path.split('/')[4];
    const event = { metadata: { name: 'e' }, involvedObject: { namespace }, reason: 'r' };
    expect((await t.client.send('POST', path, event)).status).toBe(201);
    expect((await remove(path, 'e', 'propagationPolicy=Foreground')).body.kind).toBe('Status');
  });

  it('a second delete can change the propagation', async () => {
    const path = await newNamespace(t.client);
    await make(path, 'a', [], { metadata: { finalizers: ['example.com/hold', 'orphan'] } });
    const first = await remove(path, 'a', 'propagationPolicy=Background&dryRun=All');
    expect(first.body.metadata.finalizers).toEqual(['example.com/hold']);
    const second = await remove(path, 'a', 'propagationPolicy=Background');
    const third = await remove(path, 'a', 'propagationPolicy=Background');
    expect(third.body.metadata.resourceVersion).toBe(second.body.metadata.resourceVersion);
    expect((await remove(path, 'a', 'propagationPolicy=Foreground')).body.metadata.finalizers).toEqual([
      'example.com/hold',
      'foregroundDeletion',
    ]);
    await release(path, 'a');
  });
});

describe('custom resources', () => {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const define = async (plural: string, kind: string) => {
    const version = (name: string, storage: boolean) => ({ name, served: true, storage, schema });
    const names = { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` };
    const versions = [version('v1', false), version('v2', true)];
    const spec = { group: 'example.org', scope: 'Namespaced', names, versions };
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const metadata = { name: `${plural}.example.org` };
    expect((await t.client.send('POST', definitions, { metadata, spec })).status).toBe(201);
    const there = () => t.client.get(`/apis/example.org/v1/${plural}`);
    await vi.waitFor(async () => expect((await there()).status).toBe(200), polling);
  };

  it('can be owners and dependents, in any version, also before their kind is known', async () => {
    const path = await newNamespace(t.client);
    const waiting = { apiVersion: 'example.org/v1', kind: 'Widget', name: 'nobody', uid: 'x' };
    await make(path, 'early', [], { metadata: { ownerReferences: [waiting] } });
    await define('widgets', 'Widget');
    await isGone(path, 'early');
    const widgets = path.replace('/api/v1', '/apis/example.org/v1').replace('configmaps', 'widgets');
    const widget = (name: string, metadata: Any = {}) => ({
      apiVersion: 'example.org/v1',
      kind: 'Widget',
      metadata: { name, ...metadata },
    });
    const owner = (await t.client.send('POST', widgets, widget('owner'))).body;
    await make(path, 'child', [owned(owner, true)]);
    const { metadata } = owner;
    const asV2 = { apiVersion: 'example.org/v2', kind: 'Widget', name: 'owner', uid: metadata.uid, blockOwnerDeletion: true };
    const created = await t.client.send('POST', widgets, widget('part', { ownerReferences: [asV2] }));
    expect(created.status).toBe(201);
    const { body } = await remove(widgets, 'owner', 'propagationPolicy=Foreground');
    expect(body.metadata.finalizers).toEqual(['foregroundDeletion']);
    await isGone(path, 'child');
    await isGone(widgets, 'part');
    await isGone(widgets, 'owner');
  });

  it('that cannot be converted delay no other resource', async () => {
    const group = 'stuck.example.org';
    const versions = ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === 'v1', schema }));
    const stuck = await createDefinition(t.client, definition('stones', { group, versions }));
    const path = await newNamespace(t.client);
    const stones = stuck.replace('default', path.split('/')[4] as string);
    const owner = await make(path, 'owner');
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid }];
    for (let i = 0; i < 100; i++) {
      const metadata = { name: `s${i}`, ownerReferences };
      expect((await t.client.send('POST', stones, { apiVersion: `${group}/v1`, kind: 'Stone', metadata })).status).toBe(201);
    }
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const clientConfig = { url: `https://127.0.0.1:${port}/` };
    const conversion = { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } };
    const definitionPath = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/stones.${group}`;
    const stored = (name: string) => versions.map((version) => ({ ...version, storage: version.name === name }));
    await t.client.send('PATCH', definitionPath, { spec: { conversion, versions: stored('v2') } }, merge);
    await make(path, 'free', [owned(owner)]);
    await remove(path, 'owner');
    await isGone(path, 'free');
    await t.client.send('PATCH', definitionPath, { spec: { conversion: { strategy: 'None', webhook: null } } }, merge);
    silent.close();
    for (const socket of sockets) socket.destroy();
    const left = async () => (await t.client.get(stones)).body.items?.length;
    await vi.waitFor(async () => expect(await left()).toBe(0), { timeout: 30_000, interval: 50 });
  }, 40_000);

  it('are deleted with their namespace', async () => {
    await define('gadgets', 'Gadget');
    const path = await newNamespace(t.client);
    const gadgets = path.replace('/api/v1', '/apis/example.org/v1').replace('configmaps', 'gadgets');
    await t.client.send('POST', gadgets, { apiVersion: 'example.org/v1', kind: 'Gadget', metadata: { name: 'a' } });
    const namespace = path.replace('/configmaps', '');
    await t.client.send('DELETE', namespace);
    await vi.waitFor(async () => expect((await t.client.get(namespace)).status).toBe(404), polling);
    expect((await t.client.get(`${gadgets}/a`)).status).toBe(404);
  });
});

describe('a server without garbage collection', () => {
  it('leaves dependents to the next server with it', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'tsukube-garbage-'));
    const path = '/api/v1/namespaces/default/configmaps';
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'nobody', uid: 'x' }];
    const idle = await startServer({ dataDir, securePort: 0, enableGarbageCollector: false });
    const before = clientFor(idle.kubeconfig);
    try {
      expect((await before.send('POST', path, { metadata: { name: 'child', ownerReferences } })).status).toBe(201);
      await before.send('POST', path, { metadata: { name: 'owner' } });
      const removed = await before.send('DELETE', `${path}/owner?propagationPolicy=Foreground`);
      expect(removed.body.kind).toBe('Status');
      expect((await before.get(`${path}/child`)).status).toBe(200);
    } finally {
      before.close();
      await idle.close();
    }
    const server = await startServer({ dataDir, securePort: 0 });
    const client = clientFor(server.kubeconfig);
    try {
      await vi.waitFor(async () => expect((await client.get(`${path}/child`)).status).toBe(404), polling);
    } finally {
      client.close();
      await server.close();
      rmSync(dataDir, { recursive: true });
    }
  });
});
