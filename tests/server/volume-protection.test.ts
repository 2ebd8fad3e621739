import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '@tsukube/server';
import { describe, expect, it, vi } from 'vitest';
import { type Any, type Client, clientFor } from '../support/client.ts';
import { newNamespace, useServer } from '../support/server.ts';

const t = useServer();
const merge = { 'content-type': 'application/merge-patch+json' };
const patience = { timeout: 10_000, interval: 20 };
const claimFinalizer = 'kubernetes.io/pvc-protection';
const noProtection = ['persistentvolumeclaim', 'persistentvolume', 'volumeattributesclass'].map(
  (name) => `-${name}-protection-controller`,
);

/** Helpers for claims and pods in a new namespace. */
async function workplace(client: Client) {
  const root = (await newNamespace(client)).replace(/\/configmaps$/, '');
  return { claims: `${root}/persistentvolumeclaims`, pods: `${root}/pods` };
}

async function create(client: Client, path: string, object: Any): Promise<Any> {
  const { status, body } = await client.send('POST', path, object);
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
}

const claim = (name: string, metadata: Any = {}, spec: Any = {}) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, ...metadata },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
});
const pod = (name: string, volume: Any, spec: Any = { nodeName: 'node' }) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i' }], volumes: [{ name: 'data', ...volume }], ...spec },
});
const mount = (claimName: string) => ({ persistentVolumeClaim: { claimName } });
const volume = (name: string, spec: Any = {}) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name },
  spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/tmp/x' }, ...spec },
});

const remove = (client: Client, path: string, query = '') => client.send('DELETE', `${path}?${query}`);
const isGone = (client: Client, path: string) =>
  vi.waitFor(async () => expect((await client.get(path)).status, path).toBe(404), patience);
/** Waits long enough for a controller to delete the object. */
async function stays(client: Client, path: string): Promise<Any> {
  await new Promise((resolve) => setTimeout(resolve, 150));
  const { status, body } = await client.get(path);
  expect(status, path).toBe(200);
  return body;
}

describe('a PersistentVolumeClaim', () => {
  it('is deleted immediately if it is not in use', async () => {
    const { claims } = await workplace(t.client);
    expect((await create(t.client, claims, claim('unused'))).metadata.finalizers).toEqual([claimFinalizer]);
    await remove(t.client, `${claims}/unused`);
    await isGone(t.client, `${claims}/unused`);
  });

  it('stays while a scheduled pod mounts it', async () => {
    const { claims, pods } = await workplace(t.client);
    await create(t.client, claims, claim('used'));
    await create(t.client, pods, pod('first', mount('used')));
    await create(t.client, pods, pod('second', mount('used')));
    await remove(t.client, `${claims}/used`);
    await remove(t.client, `${pods}/first`, 'gracePeriodSeconds=0');
    expect((await stays(t.client, `${claims}/used`)).metadata.finalizers).toEqual([claimFinalizer]);
    await remove(t.client, `${pods}/second`, 'gracePeriodSeconds=0');
    await isGone(t.client, `${claims}/used`);
  });

  it('stays while a completed pod mounts it', async () => {
    const { claims, pods } = await workplace(t.client);
    await create(t.client, claims, claim('completed'));
    await create(t.client, pods, pod('done', mount('completed')));
    const done = await t.client.send('PATCH', `${pods}/done/status`, { status: { phase: 'Succeeded' } }, merge);
    expect(done.status).toBe(200);
    await remove(t.client, `${claims}/completed`);
    await stays(t.client, `${claims}/completed`);
    await remove(t.client, `${pods}/done`, 'gracePeriodSeconds=0');
    await isGone(t.client, `${claims}/completed`);
  });

  it('does not wait for an unscheduled pod', async () => {
    const { claims, pods } = await workplace(t.client);
    await create(t.client, claims, claim('pending'));
    await create(t.client, pods, pod('waiting', mount('pending'), {}));
    await remove(t.client, `${claims}/pending`);
    await isGone(t.client, `${claims}/pending`);
  });

  it('of an ephemeral volume stays while its pod runs', async () => {
    const { claims, pods } = await workplace(t.client);
    const ephemeral = { ephemeral: { volumeClaimTemplate: { spec: claim('').spec } } };
    const { uid } = (await create(t.client, pods, pod('web', ephemeral))).metadata;
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'web', uid, controller: true };
    await create(t.client, claims, claim('web-data', { ownerReferences: [owner] }));
    await remove(t.client, `${claims}/web-data`);
    await stays(t.client, `${claims}/web-data`);
    await t.client.send('PATCH', `${pods}/web`, { metadata: { finalizers: ['example.com/hold'] } }, merge);
    await remove(t.client, `${pods}/web`, 'gracePeriodSeconds=0');
    await isGone(t.client, `${claims}/web-data`);
  });

  it('with the name of an ephemeral volume, but not created for it, is deleted immediately', async () => {
    const { claims, pods } = await workplace(t.client);
    await create(t.client, pods, pod('web', { ephemeral: { volumeClaimTemplate: { spec: claim('').spec } } }));
    await create(t.client, claims, claim('web-data'));
    await remove(t.client, `${claims}/web-data`);
    await isGone(t.client, `${claims}/web-data`);
  });

  it('keeps other finalizers', async () => {
    const { claims } = await workplace(t.client);
    await create(t.client, claims, claim('held', { finalizers: ['example.com/hold'] }));
    await remove(t.client, `${claims}/held`);
    await vi.waitFor(async () => {
      expect((await t.client.get(`${claims}/held`)).body.metadata.finalizers).toEqual(['example.com/hold']);
    }, patience);
  });

  it('gets the finalizer again if it was removed', async () => {
    const { claims } = await workplace(t.client);
    await create(t.client, claims, claim('bare'));
    await t.client.send('PATCH', `${claims}/bare`, { metadata: { finalizers: null } }, merge);
    await vi.waitFor(async () => {
      expect((await t.client.get(`${claims}/bare`)).body.metadata.finalizers).toEqual([claimFinalizer]);
    }, patience);
  });

  it('does not block namespace deletion', async () => {
    const { claims } = await workplace(t.client);
    await create(t.client, claims, claim('unused'));
    const namespace = claims.replace('/persistentvolumeclaims', '');
    await remove(t.client, namespace);
    await isGone(t.client, namespace);
  });
});

describe('a PersistentVolume', () => {
  const path = '/api/v1/persistentvolumes';

  it('is deleted immediately if it is not bound', async () => {
    await create(t.client, path, volume('free'));
    await remove(t.client, `${path}/free`);
    await isGone(t.client, `${path}/free`);
  });

  it('stays while it is bound', async () => {
    await create(t.client, path, volume('bound'));
    const phase = (phase: string) => t.client.send('PATCH', `${path}/bound/status`, { status: { phase } }, merge);
    await phase('Bound');
    await remove(t.client, `${path}/bound`);
    await stays(t.client, `${path}/bound`);
    await phase('Released');
    await isGone(t.client, `${path}/bound`);
  });
});

describe('a VolumeAttributesClass', () => {
  const path = '/apis/storage.k8s.io/v1/volumeattributesclasses';
  const attributesClass = (name: string) => ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttributesClass',
    metadata: { name },
    driverName: 'example.com',
    parameters: { iops: '1' },
  });

  it('is deleted immediately if it is not in use', async () => {
    await create(t.client, path, attributesClass('unused'));
    await remove(t.client, `${path}/unused`);
    await isGone(t.client, `${path}/unused`);
  });

  it('stays while a claim or a volume uses it', async () => {
    const { claims } = await workplace(t.client);
    await create(t.client, path, attributesClass('gold'));
    await create(t.client, claims, claim('golden', {}, { volumeAttributesClassName: 'gold' }));
    const csi = { hostPath: undefined, csi: { driver: 'example.com', volumeHandle: 'h' }, volumeAttributesClassName: 'gold' };
    await create(t.client, '/api/v1/persistentvolumes', volume('golden', csi));
    await remove(t.client, `${path}/gold`);
    await stays(t.client, `${path}/gold`);
    await remove(t.client, `${claims}/golden`);
    await stays(t.client, `${path}/gold`);
    await remove(t.client, '/api/v1/persistentvolumes/golden');
    await isGone(t.client, `${path}/gold`);
  });
});

describe('after a restart', () => {
  it('claims in use stay, and unused ones are deleted', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'tsukube-protection-'));
    const run = async (controllers: readonly string[], work: (client: Client) => Promise<void>) => {
      const server = await startServer({ dataDir, securePort: 0, controllers: ['*', ...controllers] });
      const client = clientFor(server.kubeconfig);
      await work(client).finally(() => {
        client.close();
        return server.close();
      });
    };
    let places = { claims: '', pods: '' };
    try {
      await run(noProtection, async (client) => {
        places = await workplace(client);
        await create(client, places.claims, claim('used'));
        await create(client, places.claims, claim('unused'));
        await create(client, places.pods, pod('user', mount('used')));
        await remove(client, `${places.claims}/used`);
        await remove(client, `${places.claims}/unused`);
        await stays(client, `${places.claims}/unused`);
      });
      await run([], async (client) => {
        await isGone(client, `${places.claims}/unused`);
        await stays(client, `${places.claims}/used`);
        await remove(client, `${places.pods}/user`, 'gracePeriodSeconds=0');
        await isGone(client, `${places.claims}/used`);
      });
    } finally {
      rmSync(dataDir, { recursive: true });
    }
  });
});
