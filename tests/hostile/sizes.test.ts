import { describe, expect, it } from 'vitest';
import type { Reply } from '../support/client.ts';
import { configMap, newNamespace, useServer } from '../support/server.ts';
import { openSession, send } from './http2.ts';
import { rawRequest, sendRaw } from './raw-http1.ts';
import { statusLike } from './status.ts';

const t = useServer();
const mebibyte = 1 << 20;
const bodyLimit = 3 * mebibyte;
const tooLarge = 'Request entity too large: limit is 3145728';
const jsonPatch = 'application/json-patch+json';

/** The maximum response time, for any input. */
const promptMs = 5000;

async function promptly<T>(answer: Promise<T>): Promise<T> {
  const began = performance.now();
  const settled = await answer;
  expect(performance.now() - began).toBeLessThan(promptMs);
  return settled;
}

/** A ConfigMap whose JSON has exactly this length. */
function padded(bytes: number): string {
  const empty = JSON.stringify({ metadata: { name: 'padded' }, x: '' });
  return JSON.stringify({ metadata: { name: 'padded' }, x: 'x'.repeat(bytes - empty.length) });
}

describe('a body', () => {
  it('of 3 MiB is accepted', async () => {
    const path = await newNamespace(t.client);
    expect((await t.client.send('POST', `${path}?dryRun=All`, padded(bodyLimit))).status).toBe(201);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('that declares more is refused, with %s', async (method) => {
    const path = await newNamespace(t.client);
    const type = method === 'PATCH' ? jsonPatch : 'application/json';
    const target = method === 'POST' ? path : `${path}/a`;
    const head = [`content-type: ${type}`, `content-length: ${bodyLimit + 1}`];
    const { status, body, closed } = await promptly(sendRaw(t.client, rawRequest(`${method} ${target} HTTP/1.1`, head)));
    expect([status, closed]).toEqual([413, true]);
    expect(JSON.parse(body)).toMatchObject(statusLike(413, 'RequestEntityTooLarge', tooLarge));
  });

  it('that exceeds the limit without declaring it is refused, over HTTP/1.1', async () => {
    const path = await newNamespace(t.client);
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
    const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n`;
    const { status, body } = await promptly(sendRaw(t.client, head + chunk.repeat(49)));
    expect(status).toBe(413);
    expect(JSON.parse(body)).toMatchObject(statusLike(413, 'RequestEntityTooLarge', tooLarge));
  });

  it.each([
    ['declared', true],
    ['not declared', false],
  ])('over HTTP/2 is refused, its length %s, and the connection stays open', async (_, declared) => {
    const path = await newNamespace(t.client);
    // Node's client counts the unsent parts of refused bodies until the connection ends.
    const session = openSession(t.client, { maxSessionMemory: 100 });
    const body = padded(bodyLimit + 1);
    const headers = { ':method': 'POST', ':path': path, ...(declared ? { 'content-length': body.length } : {}) };
    for (let i = 0; i < 5; i++) {
      const reply = await promptly(send(session, headers, body));
      expect(JSON.parse((reply as Reply & { body: string }).body)).toMatchObject(
        statusLike(413, 'RequestEntityTooLarge', tooLarge),
      );
    }
    expect(await send(session, { ':path': '/livez' })).toMatchObject({ status: 200 });
    session.close();
  });
});

describe('nesting', () => {
  const deep = [
    ['lists', '['.repeat(100_000)],
    ['objects', '{"a":'.repeat(100_000)],
    ['closed lists', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['lists inside an unknown field', `{"metadata":{"name":"a"},"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ] as const;

  it.each(deep)('of %s is refused in a new object', async (_, body) => {
    const path = await newNamespace(t.client);
    const reply = await promptly(t.client.send('POST', path, body));
    expect(reply.body).toMatchObject(statusLike(400, 'BadRequest', /exceeded max depth/));
  });

  it.each(['application/merge-patch+json', 'application/strategic-merge-patch+json', jsonPatch])(
    'is refused in a patch of type %s',
    async (type) => {
      const path = await newNamespace(t.client);
      await t.client.send('POST', path, configMap('a'));
      for (const [, body] of deep) {
        const reply = await promptly(t.client.send('PATCH', `${path}/a`, body, { 'content-type': type }));
        expect(reply.body).toMatchObject(statusLike(400, 'BadRequest', /exceeded max depth/));
      }
    },
  );

  it('is refused in delete options', async () => {
    const path = await newNamespace(t.client);
    await t.client.send('POST', path, configMap('a'));
    const reply = await promptly(t.client.send('DELETE', `${path}/a`, '['.repeat(100_000)));
    expect(reply.body).toMatchObject(statusLike(400, 'BadRequest', /exceeded max depth/));
  });
});

describe('YAML', () => {
  const yaml = { 'content-type': 'application/yaml' };
  const aliases = (name: string, inner: string) => `${name}: &${name} [${Array(9).fill(inner).join(',')}]\n`;
  const bomb = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((name, i, all) =>
    aliases(name, i === 0 ? 'lol' : `*${all[i - 1]}`),
  );
  const anchors = Array.from({ length: 2000 }, (_, i) => `k${i}: &k${i} v`).join('\n');

  it.each([
    ['aliases of aliases', bomb.join(''), /excessive aliasing/],
    ['an alias of itself', 'a: &a [*a]\n', /./],
    ['lists in lists', '['.repeat(20_000), /./],
    ['closed lists in lists', `${'['.repeat(20_000)}${']'.repeat(20_000)}`, /./],
    ['maps in maps', `${'{a: '.repeat(20_000)}`, /./],
    ['indented maps', Array.from({ length: 2000 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'), /./],
    ['dashes', '- '.repeat(20_000), /./],
    ['an unknown anchor', 'a: *nobody\n', /./],
    ['a tab', 'a:\n\t- b\n', /./],
    ['a control character', 'a: "\u0001"\n', /./],
    ['two documents', 'kind: ConfigMap\n---\nkind: ConfigMap\n', /./],
    ['a tag for a class', 'a: !!js/function "function () {}"\n', /./],
  ])('of %s is refused', async (_, body, message) => {
    const path = await newNamespace(t.client);
    const reply = await promptly(t.client.send('POST', path, body, yaml));
    expect([400, 422]).toContain(reply.status);
    expect(reply.body).toMatchObject(statusLike(reply.status, undefined, message));
  });

  it('with many unused anchors is accepted', async () => {
    const path = await newNamespace(t.client);
    const body = `metadata: {name: a}\ndata:\n${anchors.replaceAll(/^/gm, '  ')}\n`;
    expect((await promptly(t.client.send('POST', path, body, yaml))).status).toBe(201);
  });
});

describe('a JSON patch', () => {
  const tests = (count: number) => Array.from({ length: count }, () => ({ op: 'test', path: '/kind', value: 'ConfigMap' }));

  it('may have at most 10,000 operations', async () => {
    const path = await newNamespace(t.client);
    await t.client.send('POST', path, configMap('a'));
    const patch = (count: number) => promptly(t.client.send('PATCH', `${path}/a`, tests(count), { 'content-type': jsonPatch }));
    expect((await patch(10_000)).status).toBe(200);
    const message = 'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001';
    expect((await patch(10_001)).body).toMatchObject(statusLike(413, 'RequestEntityTooLarge', message));
  });

  it.each([
    ['one value', (i: number) => ({ op: 'copy', from: '/data/a', path: `/data/b${i}` }), 100],
    ['copies of copies', () => ({ op: 'copy', from: '/metadata/annotations', path: '/metadata/annotations/x' }), 40],
    ['the whole object', (i: number) => ({ op: 'copy', from: '', path: `/data/b${i}` }), 40],
  ])('cannot multiply the size of an object by copying %s', async (_, operation, count) => {
    const path = await newNamespace(t.client);
    await t.client.send('POST', path, configMap('a', {}, { a: 'x'.repeat(900_000) }));
    const before = await t.client.get(`${path}/a`);
    const operations = [{ op: 'add', path: '/metadata/annotations', value: { a: 'a'.repeat(1000) } }];
    const patch = [...operations, ...Array.from({ length: count }, (_, i) => operation(i))];
    const reply = await promptly(t.client.send('PATCH', `${path}/a`, patch, { 'content-type': jsonPatch }));
    expect(reply.body).toMatchObject(statusLike(422, 'Invalid'));
    expect((await t.client.get(`${path}/a`)).text).toBe(before.text);
  });
});

describe('very many errors in one object', () => {
  const many = (count: number, each: (i: number) => string) => Array.from({ length: count }, (_, i) => each(i)).join(',');

  it.each([
    ['unknown fields', `{"metadata":{"name":"a"},${many(200_000, (i) => `"f${i}":1`)}}`, 201],
    ['repeated fields', `{"metadata":{"name":"a"},${many(100_000, (i) => `"f${i}":1,"f${i}":1`)}}`, 201],
    ['fields repeated far down', `${'{"a":'.repeat(990)}{${many(400_000, () => '"k":1')}}${'}'.repeat(990)}`, 422],
    ['keys of data', `{"metadata":{"name":"a"},"data":{${many(200_000, (i) => `"!${i}":""`)}}}`, 422],
    ['labels', `{"metadata":{"name":"a","labels":{${many(150_000, (i) => `"!${i}":"!"`)}}}}`, 422],
    ['finalizers', `{"metadata":{"name":"a","finalizers":[${many(200_000, (i) => `"!${i}"`)}]}}`, 422],
    ['owners', `{"metadata":{"name":"a","ownerReferences":[${many(200_000, () => '{"uid":""}')}]}}`, 422],
  ])('is answered promptly: %s', async (_, body, status) => {
    const path = await newNamespace(t.client);
    const reply = await promptly(t.client.send('POST', `${path}?dryRun=All`, body));
    expect(reply.status).toBe(status);
    expect(reply.text.length).toBeLessThan(4 * mebibyte);
    expect(JSON.stringify(reply.headers).length).toBeLessThan(16 * 1024);
  });
});
