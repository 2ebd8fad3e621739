import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Any, type Client, clientFor } from '../../support/client.ts';
import { configMap } from '../../support/server.ts';
import { launchServer, notBuilt, type ServerProcess } from '../../support/server-process.ts';

const dependents = 1000;
const configMaps = '/api/v1/namespaces/default/configmaps';
/** All objects, also those that every namespace has. */
const countOf = async (client: Client, path = configMaps) => {
  const { body } = await client.get(`${path}?limit=1`);
  return body.items.length + (body.metadata.remainingItemCount ?? 0);
};
/** Whether one of the dependents is left. */
const isLeft = async (client: Client, path = configMaps) =>
  (await client.get(`${path}?limit=1&labelSelector=part`)).body.items.length > 0;

async function createDependents(client: Client): Promise<void> {
  const { body } = await client.send('POST', configMaps, configMap('owner'));
  const { apiVersion, kind, metadata } = body;
  const ownerReferences = [{ apiVersion, kind, name: 'owner', uid: metadata.uid, blockOwnerDeletion: true }];
  const create = async (i: number) => {
    const object: Any = { ...configMap(`part-${i}`), metadata: { name: `part-${i}`, labels: { part: 'x' }, ownerReferences } };
    expect((await client.send('POST', configMaps, object)).status).toBe(201);
  };
  for (let i = 0; i < dependents; i += 100) await Promise.all(Array.from({ length: 100 }, (_, j) => create(i + j)));
}

describe.skipIf(notBuilt)('a server that is killed', () => {
  let dataDir: string;
  let server: ServerProcess;
  let client: Client;
  const start = async () => {
    server = launchServer({ dataDir, quiet: true });
    client = clientFor(await server.ready);
  };
  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'tsukube-cascade-'));
    await start();
  });
  afterEach(async () => {
    client.close();
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  /** Kills the server when some of the objects are gone, and starts it again. */
  const killInBetween = async (begin: () => Promise<unknown>, path?: string): Promise<boolean> => {
    void begin().catch(() => {});
    await expect.poll(() => countOf(client, path), { timeout: 20_000, interval: 1 }).toBeLessThan(dependents);
    await server.kill();
    client.close();
    await start();
    return isLeft(client, path);
  };

  it.each(['Background', 'Foreground'])('in the middle of a cascade completes it after the restart: %s', async (policy) => {
    await createDependents(client);
    const left = await killInBetween(() => client.send('DELETE', `${configMaps}/owner?propagationPolicy=${policy}`));
    expect(left).toBe(true);
    await expect.poll(() => isLeft(client), { timeout: 20_000, interval: 20 }).toBe(false);
    await expect.poll(async () => (await client.get(`${configMaps}/owner`)).status, { timeout: 20_000 }).toBe(404);
  });

  it('while it deletes a namespace completes that after the restart', async () => {
    const namespace = '/api/v1/namespaces/going';
    await client.send('POST', '/api/v1/namespaces', { metadata: { name: 'going' } });
    const create = async (i: number) => {
      const object = { ...configMap(`part-${i}`), metadata: { name: `part-${i}`, labels: { part: 'x' } } };
      await client.send('POST', `${namespace}/configmaps`, object);
    };
    for (let i = 0; i < dependents; i += 100) await Promise.all(Array.from({ length: 100 }, (_, j) => create(i + j)));
    const left = await killInBetween(() => client.send('DELETE', namespace), `${namespace}/configmaps`);
    expect(left).toBe(true);
    await expect.poll(async () => (await client.get(namespace)).status, { timeout: 20_000, interval: 20 }).toBe(404);
    expect(await isLeft(client, `${namespace}/configmaps`)).toBe(false);
  });
});
