import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '@tsukube/server';
import { afterAll, describe, expect, it } from 'vitest';
import { clientFor } from '../support/client.ts';
import { createDefinition, definition, until } from '../support/definitions.ts';
import { useServer } from '../support/server.ts';

describe('a CRD', () => {
  const t = useServer();

  it('is served', async () => {
    const path = await createDefinition(t.client, definition('boxes', { group: 'first.example.com' }));
    const created = await t.client.send('POST', path, {
      apiVersion: 'first.example.com/v1',
      kind: 'Box',
      metadata: { name: 'a' },
      spec: { size: 3 },
    });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ kind: 'Box', metadata: { generation: 1 }, spec: { size: 3 } });
    expect((await t.client.send('GET', `${path}/a`)).body).toEqual(created.body);
    const { body: list } = await t.client.send('GET', path);
    expect(list).toMatchObject({
      kind: 'BoxList',
      metadata: { continue: '' },
      items: [{ kind: 'Box', apiVersion: 'first.example.com/v1' }],
    });
  });

  it('is deleted with its custom resources', async () => {
    const path = await createDefinition(t.client, definition('crates', { group: 'gone.example.com' }));
    const crate = { apiVersion: 'gone.example.com/v1', kind: 'Crate', metadata: { name: 'a' } };
    expect((await t.client.send('POST', path, crate)).status).toBe(201);
    const name = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/crates.gone.example.com';
    expect((await t.client.send('DELETE', name)).status).toBe(200);
    await until(async () => (await t.client.send('GET', name)).status === 404);
    expect((await t.client.send('GET', path)).text).toBe('404 page not found\n');
    await createDefinition(t.client, definition('crates', { group: 'gone.example.com' }));
    expect((await t.client.send('GET', `${path}/a`)).status).toBe(404);
  });
});

describe('a default in status', () => {
  const folder = mkdtempSync(join(tmpdir(), 'status-default-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const schema = {
    type: 'object',
    properties: {
      status: { type: 'object', default: { observedGeneration: -1 }, properties: { observedGeneration: { type: 'integer' } } },
    },
  };
  const status = { observedGeneration: -1 };

  it('is in watch events, and in objects stored before a restart', async () => {
    const options = { storage: 'lmdb', dataDir: folder, securePort: 0 } as const;
    let server = await startServer(options);
    let client = clientFor(server.kubeconfig);
    const path = await createDefinition(
      client,
      definition('sources', { group: 'flux.example.com', schema, version: { subresources: { status: {} } } }),
    );
    const watch = await client.watch(`${path}?watch=1`);
    const source = { apiVersion: 'flux.example.com/v1', kind: 'Source', metadata: { name: 'a' }, spec: {} };
    expect((await client.send('POST', path, source)).body.status).toEqual(status);
    expect((await watch.next()).object.status).toEqual(status);
    watch.close();
    client.close();
    await server.close();
    server = await startServer(options);
    client = clientFor(server.kubeconfig);
    expect((await client.get(`${path}/a`)).body.status).toEqual(status);
    expect((await client.get(path)).body.items[0].status).toEqual(status);
    client.close();
    await server.close();
  });
});
