import { describe, expect, it } from 'vitest';
import { createDefinition, definition, until } from '../support/definitions.ts';
import { useServer } from '../support/server.ts';

describe('a definition', () => {
  const t = useServer();

  it('becomes an API', async () => {
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

  it('goes with its objects', async () => {
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
