import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '@tsukube/server';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openLmdb } from '../../packages/storage/src/lmdb/index.ts';
import { clientFor } from '../support/client.ts';

const parent = mkdtempSync(join(tmpdir(), 'tsukube-objects-'));
const base = join(parent, 'base');
let values: { readonly key: string; readonly value: Buffer }[];

afterAll(() => rmSync(parent, { recursive: true, force: true }));

beforeAll(async () => {
  const server = await startServer({ dataDir: base, securePort: 0 });
  const client = clientFor(server.kubeconfig);
  await client.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  await client.send('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'sound' } });
  await vi.waitUntil(async () => (await client.get('/apis/example.com/v1/widgets')).status === 200, { timeout: 10_000 });
  await client.send('POST', '/apis/example.com/v1/namespaces/default/widgets', {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name: 'w' },
  });
  await vi.waitUntil(async () => (await client.get('/api/v1/namespaces/default/serviceaccounts/default')).status === 200, {
    timeout: 10_000,
  });
  client.close();
  await server.close();
  const store = await openLmdb({ path: join(base, 'data') });
  values = (await store.list('/')).entries.map(({ key, value }) => ({ key, value: Buffer.from(value) }));
  await store.close();
}, 60_000);

const definition = {
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};

/** DAMAGED_OBJECTS=all corrupts every object, one at a time; by default one of each kind. */
function chosen(): typeof values {
  if (process.env.DAMAGED_OBJECTS === 'all') return values;
  const kindOf = (key: string) =>
    key
      .split('/')
      .slice(0, key.startsWith('/registry/services/') ? 4 : 3)
      .join('/');
  return values.filter(({ key }, i) => values.findIndex((other) => kindOf(other.key) === kindOf(key)) === i);
}

it('a server with any corrupt object serves all others', async () => {
  const kinds = chosen();
  expect(kinds.length).toBeGreaterThan(12);
  const failures: string[] = [];
  for (const { key, value } of kinds) {
    const problem = await outcome(key, value).catch((error: Error) => `${error.stack}`);
    if (problem !== undefined) failures.push(`${key}: ${problem}`);
  }
  expect(failures).toEqual([]);
}, 1_800_000);

/** The problem of a server with this object corrupted; undefined if there is none. */
async function outcome(key: string, value: Buffer): Promise<string | undefined> {
  const dataDir = join(parent, 'damaged');
  rmSync(dataDir, { recursive: true, force: true });
  cpSync(base, dataDir, { recursive: true });
  damage(join(dataDir, 'data', 'data.mdb'), value);
  const server = await startServer({ dataDir, securePort: 0 });
  const client = clientFor(server.kubeconfig);
  try {
    const sound = '/api/v1/namespaces/default/configmaps/sound';
    const got = (await client.get(sound)).status;
    if (got !== 200 && !key.endsWith('/sound')) return `a get was answered with ${got}`;
    const created = (await client.send('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'new' } })).status;
    if (created !== 201 && key !== '/registry/namespaces/default') return `a create was answered with ${created}`;
    if (key.includes('customresourcedefinitions')) {
      // Served by a worker thread, which reads all CRDs.
      const data = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`key-${i}`, 'x']));
      const heavy = await client.send('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'heavy' }, data });
      if (heavy.status !== 201) return `a heavy create was answered with ${heavy.status}`;
      const widgets = (await client.get('/apis/example.com/v1/widgets')).status;
      if (widgets !== 500) return `objects of a damaged definition were answered with ${widgets}`;
    }
    const alive = await client.get('/livez');
    return alive.status === 200 ? undefined : alive.text;
  } finally {
    client.close();
    await server.close();
  }
}

/** Changes a byte in the middle of a value, at every place in the file. */
function damage(file: string, value: Buffer): void {
  const bytes = readFileSync(file);
  for (let at = bytes.indexOf(value); at >= 0; at = bytes.indexOf(value, at + 1)) {
    const middle = at + (value.length >> 1);
    bytes[middle] = (bytes[middle] as number) ^ 1;
  }
  writeFileSync(file, bytes);
}
