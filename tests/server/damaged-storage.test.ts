import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Logger, silentLogger } from '@tsukube/apiserver';
import { type RunningServer, type StartOptions, startServer } from '@tsukube/server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Client, clientFor } from '../support/client.ts';

let dataDir: string;
let server: RunningServer | undefined;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'tsukube-damaged-'));
});

afterEach(async () => {
  await server?.close();
  server = undefined;
  rmSync(dataDir, { recursive: true });
});

const configMaps = '/api/v1/namespaces/default/configmaps';

async function start(options: StartOptions = {}): Promise<{ client: Client; lines: string[] }> {
  const lines: string[] = [];
  const error = (message: string, fields?: unknown) => lines.push(`${message} ${JSON.stringify(fields)}`);
  const logger: Logger = { ...silentLogger, error: (message, fields) => void error(message, fields) };
  server = await startServer({ dataDir, securePort: 0, logger, ...options });
  return { client: clientFor(server.kubeconfig), lines };
}

async function stop(): Promise<void> {
  await server?.close();
  server = undefined;
}

/** Changes a byte wherever the text is in the file, in the newest value and in older ones. */
function damage(text: string): void {
  const file = join(dataDir, 'data', 'data.mdb');
  const bytes = readFileSync(file);
  const descriptor = openSync(file, 'r+');
  let found = 0;
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1), found++)
    writeSync(descriptor, Buffer.of((bytes[at] as number) ^ 1), 0, 1, at);
  closeSync(descriptor);
  expect(found).toBeGreaterThan(0);
}

describe('a corrupt value', () => {
  async function withDamagedConfigMap(): Promise<{ client: Client; lines: string[] }> {
    const { client } = await start();
    for (const name of ['a', 'b', 'c'])
      await client.send('POST', configMaps, { metadata: { name }, data: { text: `the text of ${name}` } });
    await stop();
    damage('the text of b');
    return start();
  }

  it('is a 500 for its object and lists with it only', async () => {
    const { client } = await withDamagedConfigMap();
    const got = await client.get(`${configMaps}/b`);
    expect(got.status).toBe(500);
    expect(got.body).toMatchObject({
      kind: 'Status',
      reason: 'InternalError',
      message: expect.stringMatching(
        /^Internal error occurred: StorageError: corrupt object, Code: 7, Key: \/registry\/configmaps\/default\/b, ResourceVersion: 0, AdditionalErrorMsg: /,
      ),
    });
    expect(await client.get(configMaps)).toMatchObject({
      status: 500,
      body: {
        reason: 'StorageReadError',
        message: 'failed to read one or more configmaps from the storage',
        details: { kind: 'configmaps', causes: [{ field: '/registry/configmaps/default/b' }] },
      },
    });
    for (const path of ['/api/v1/configmaps', `${configMaps}?labelSelector=a%3Db`, `${configMaps}?limit=2`])
      expect((await client.get(path)).status).toBe(500);
    for (const name of ['a', 'c'])
      expect(await client.get(`${configMaps}/${name}`)).toMatchObject({
        status: 200,
        body: { data: { text: `the text of ${name}` } },
      });
    expect((await client.get('/api/v1/namespaces/kube-system/configmaps')).status).toBe(200);
    const named = await client.get(`${configMaps}?fieldSelector=metadata.name%3Da`);
    expect(named).toMatchObject({ status: 200, body: { items: [{ metadata: { name: 'a' } }] } });
  });

  it('does not prevent other writes', async () => {
    const { client } = await withDamagedConfigMap();
    expect((await client.send('POST', configMaps, { metadata: { name: 'd' } })).status).toBe(201);
    expect((await client.send('PUT', `${configMaps}/a`, { metadata: { name: 'a' }, data: {} })).status).toBe(200);
    expect((await client.send('PUT', `${configMaps}/b`, { metadata: { name: 'b' }, data: {} })).status).toBe(500);
    expect((await client.send('POST', configMaps, { metadata: { name: 'b' } })).status).toBe(409);
    expect((await client.send('DELETE', `${configMaps}/b`)).status).toBe(500);
    expect((await client.send('DELETE', `${configMaps}/c`)).status).toBe(200);
  });

  it('fails /readyz/storage, is logged once and counted', async () => {
    const { client, lines } = await withDamagedConfigMap();
    for (let i = 0; i < 5; i++) await client.get(`${configMaps}/b`);
    const reported = lines.filter((line) => line.includes('a stored value is damaged'));
    expect(reported).toEqual([expect.stringContaining('/registry/configmaps/default/b')]);
    const ready = await client.get('/readyz/storage');
    expect([ready.status, ready.text]).toEqual([500, expect.stringContaining('1 stored object is damaged')]);
    expect((await client.get('/readyz?verbose')).text).toContain('[-]storage failed: 1 stored object is damaged\n');
    expect((await client.get('/livez')).status).toBe(200);
    expect((await client.get('/metrics')).text).toContain('tsukube_storage_corrupt_objects 1\n');
  });

  it('can be deleted with unsafe-delete-ignore-read-errors, which restores the rest', async () => {
    const { client } = await withDamagedConfigMap();
    const watch = await client.watch(`${configMaps}?watch=true&resourceVersion=0&fieldSelector=metadata.name%3Da`);
    const unsafe = { kind: 'DeleteOptions', apiVersion: 'v1', ignoreStoreReadErrorWithClusterBreakingPotential: true };
    expect((await client.send('DELETE', `${configMaps}/b`, { ...unsafe, gracePeriodSeconds: 1 })).status).toBe(422);
    expect(await client.send('DELETE', `${configMaps}/b`, unsafe)).toMatchObject({
      status: 200,
      body: { kind: 'Status', status: 'Success', details: { name: 'b', kind: 'configmaps' } },
    });
    expect((await client.get(`${configMaps}/b`)).status).toBe(404);
    expect((await client.get(configMaps)).status).toBe(200);
    expect((await client.get('/readyz')).status).toBe(200);
    expect((await client.send('POST', configMaps, { metadata: { name: 'b' } })).status).toBe(201);
    watch.close();
  });

  it('ends watches that would send it', async () => {
    const { client } = await withDamagedConfigMap();
    const { metadata } = (await client.get('/api/v1/namespaces/kube-system/configmaps')).body;
    const since = `watch=true&resourceVersion=${metadata.resourceVersion}`;
    const whole = await client.watch(`${configMaps}?${since}`);
    const selected = await client.watch(`${configMaps}?${since}&fieldSelector=metadata.name%3Da`);
    const initial = await client.watch(`${configMaps}?watch=true`);
    expect((await initial.take(10)).at(-1)).toMatchObject({ type: 'ERROR', object: { code: 500 } });
    const other = { metadata: { name: 'e' } };
    await client.send('POST', configMaps, other);
    expect(await whole.next()).toMatchObject({ type: 'ADDED', object: other });
    const unsafe = { kind: 'DeleteOptions', apiVersion: 'v1', ignoreStoreReadErrorWithClusterBreakingPotential: true };
    expect((await client.send('DELETE', `${configMaps}/b`, unsafe)).status).toBe(200);
    expect(await whole.next()).toMatchObject({ type: 'ERROR' });
    await client.send('DELETE', `${configMaps}/a`);
    expect(await selected.next()).toMatchObject({ type: expect.stringMatching(/DELETED|ERROR/) });
    for (const watch of [whole, selected, initial]) watch.close();
  });

  it('cannot be deleted with the verb delete alone', async () => {
    const { client } = await withDamagedConfigMap();
    await client.send('POST', '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings', {
      metadata: { name: 'edit' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jane' }],
    });
    const unsafe = { kind: 'DeleteOptions', apiVersion: 'v1', ignoreStoreReadErrorWithClusterBreakingPotential: true };
    const refused = await client.send('DELETE', `${configMaps}/b`, unsafe, { 'impersonate-user': 'jane' });
    expect(refused.status).toBe(403);
    expect(refused.body.message).toContain('not permitted to do "unsafe-delete-ignore-read-errors"');
  });
});

describe('a corrupt database', () => {
  it.each([
    ['truncated', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    ['emptied', () => Buffer.alloc(0)],
    ['zeroed', (bytes: Buffer) => bytes.fill(0)],
    ['overwritten in the middle', (bytes: Buffer) => bytes.fill(0xaa, bytes.length / 4, bytes.length / 2)],
  ])('is refused when it was %s, with a message that says what to do', async (_how, change) => {
    await start();
    await stop();
    const file = join(dataDir, 'data', 'data.mdb');
    writeFileSync(file, change(readFileSync(file)));
    const before = readFileSync(file);
    const remedy = `restore a backup of ${dataDir}, or save what is whole with: tsukube repair --data-dir ${dataDir}`;
    await expect(startServer({ dataDir, securePort: 0 })).rejects.toThrow(remedy);
    expect(readFileSync(file).equals(before)).toBe(true);
  });
});

describe('a value that becomes corrupt while the server runs', () => {
  it('fails the first list that reads it and all later ones with 500', async () => {
    const writer = await start();
    const padding = 'x'.repeat(100_000);
    for (let i = 100; i < 150; i++)
      await writer.client.send('POST', configMaps, { metadata: { name: `n${i}` }, data: { padding, text: `the text of ${i}` } });
    await stop();
    const { client } = await start({ etcdCompactionInterval: 200 });
    expect((await client.get(configMaps)).status).toBe(200);
    // Values that are not read leave memory at the second compaction.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    damage('the text of 140');
    const first = await client.get(configMaps).catch((error: NodeJS.ErrnoException) => error.code);
    if (typeof first === 'object') expect(first.status).toBe(500);
    else expect(first).toBe('ECONNRESET');
    expect(await client.get(configMaps)).toMatchObject({ status: 500, body: { reason: 'StorageReadError' } });
    expect((await client.get(`${configMaps}/n140`)).status).toBe(500);
    expect((await client.get(`${configMaps}/n141`)).status).toBe(200);
    expect((await client.get('/readyz/storage')).status).toBe(500);
  });
});
