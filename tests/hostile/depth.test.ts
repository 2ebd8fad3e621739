import { describe, expect, it } from 'vitest';
import { newNamespace, useServer } from '../support/server.ts';
import { statusLike } from './status.ts';

const t = useServer();
const jsonPatch = { 'content-type': 'application/json-patch+json' };

const nested = (depth: number): object => {
  let value = {};
  for (let i = 1; i < depth; i++) value = { a: value };
  return value;
};
const steps = (count: number) => '/a'.repeat(count);

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'depths.hostile.example.com' },
  spec: {
    group: 'hostile.example.com',
    scope: 'Namespaced',
    names: { plural: 'depths', kind: 'Depth' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

/** The path of custom resources that accept any JSON. */
async function newPath(): Promise<string> {
  const namespace = (await newNamespace(t.client)).split('/')[4];
  await t.client.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  const path = `/apis/hostile.example.com/v1/namespaces/${namespace}/depths`;
  await expect.poll(async () => (await t.client.get(path)).status, { timeout: 10_000 }).toBe(200);
  return path;
}

describe('an object', () => {
  async function created(depth: number): Promise<{ url: string; object: object }> {
    const path = await newPath();
    const object = { apiVersion: 'hostile.example.com/v1', kind: 'Depth', metadata: { name: 'x' }, data: nested(depth) };
    const { status, text } = await t.client.send('POST', path, object);
    expect(status, text.slice(0, 300)).toBe(201);
    return { url: `${path}/x`, object };
  }

  it('of the maximum depth is read, updated and deleted', async () => {
    const { url } = await created(998);
    expect((await t.client.get(url)).status).toBe(200);
    const patch = JSON.stringify({ metadata: { labels: { a: 'b' } } });
    const patched = await t.client.send('PATCH', url, patch, { 'content-type': 'application/merge-patch+json' });
    expect(patched.status).toBe(200);
    expect((await t.client.get(url)).body.metadata.labels).toEqual({ a: 'b' });
    expect((await t.client.send('DELETE', url)).status).toBe(200);
  });

  it.each(['?pretty=1', ''])('has bounded indentation%s', async (query) => {
    const path = await newPath();
    let data: unknown = Array(10_000).fill(1);
    for (let i = 0; i < 990; i++) data = { a: data };
    await t.client.send('POST', path, { apiVersion: 'hostile.example.com/v1', kind: 'Depth', metadata: { name: 'x' }, data });
    for (const url of [`${path}/x${query}`, path + query]) {
      const reply = await t.client.get(url, query === '' ? { accept: 'application/yaml' } : {});
      expect(reply.status).toBe(200);
      expect(reply.text.length).toBeLessThan(100_000);
    }
  });

  const add = (path: string, value: unknown) => ({ op: 'add', path, value });
  it.each<[string, object[]]>([
    ['a value below a deep path', [add(`/data${steps(890)}/b`, nested(500))]],
    ['a value that replaces one below', [{ op: 'replace', path: `/data${steps(890)}`, value: nested(900) }]],
    ['a copy into the original', [{ op: 'copy', from: '/data', path: `/data${steps(800)}/b` }]],
    ['copies of copies', Array.from({ length: 12 }, (_, i) => ({ op: 'copy', from: '/data', path: `/data${steps(880)}/b${i}` }))],
    ['a move', [add('/data/b', nested(900)), { op: 'move', from: '/data/b', path: `/data${steps(800)}/b` }]],
    [
      'moves that go one deeper each',
      Array.from({ length: 3000 }, () => [
        add('/metadata/annotations', {}),
        { op: 'move', from: '/data', path: '/metadata/annotations/a' },
        { op: 'move', from: '/metadata/annotations', path: '/data' },
      ]).flat(),
    ],
  ])('a JSON patch that exceeds the depth is refused: %s', async (_what, operations) => {
    const { url, object } = await created(900);
    const { body, status } = await t.client.send('PATCH', url, JSON.stringify(operations), jsonPatch);
    expect(body).toMatchObject(statusLike(422, undefined, /./));
    expect(status).toBe(422);
    expect((await t.client.get(url)).body.data).toEqual((object as { data: object }).data);
  });

  it.each(['application/merge-patch+json', 'application/apply-patch+yaml'])(
    'a patch of type %s may have the maximum depth',
    async (type) => {
      const { url, object } = await created(900);
      const { metadata, ...rest } = object as { metadata: object };
      const patch = JSON.stringify({ ...rest, metadata: { ...metadata, labels: { a: 'b' } }, data: { b: nested(997) } });
      const reply = await t.client.send('PATCH', type.includes('apply') ? `${url}?fieldManager=m&force=true` : url, patch, {
        'content-type': type,
      });
      expect(reply.status === 200 || (reply.status >= 400 && reply.status < 500), reply.text.slice(0, 300)).toBe(true);
      expect((await t.client.get(url)).status).toBe(200);
    },
  );

  it('a JSON patch within the limit is applied', async () => {
    const { url } = await created(500);
    const operations = [add(`/data${steps(490)}/b`, nested(400)), { op: 'move', from: '/data/a', path: '/data/c' }];
    expect((await t.client.send('PATCH', url, JSON.stringify(operations), jsonPatch)).status).toBe(200);
  });
});
