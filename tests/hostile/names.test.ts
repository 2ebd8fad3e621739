import { describe, expect, it } from 'vitest';
import type { Any } from '../support/client.ts';
import { newNamespace, useServer } from '../support/server.ts';
import { openSession, send } from './http2.ts';
import { rawRequest, sendRaw } from './raw-http1.ts';
import { statusLike } from './status.ts';

const t = useServer();
const subdomain = /a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters/;

describe('a name in a path', () => {
  it.each([
    ['..', 400, `Name parameter invalid: "..": may not be '..'`],
    ['.', 400, `Name parameter invalid: ".": may not be '.'`],
    ['%2e%2e', 400, `Name parameter invalid: "..": may not be '..'`],
    ['a%25b', 400, `Name parameter invalid: "a%b": may not contain '%'`],
    ['a%2Fb', 404, 'the server could not find the requested resource'],
    ['%2e%2e%2Fsecrets', 404, 'the server could not find the requested resource'],
    ['a%00b', 404, 'configmaps "a\\x00b" not found'],
    ['__proto__', 404, 'configmaps "__proto__" not found'],
    ['a%ff', 400, 'the path of the request is not properly encoded'],
    ['a%zz', 400, 'the path of the request is not properly encoded'],
    ['a%', 400, 'the path of the request is not properly encoded'],
    ['a%ed%a0%80', 400, 'the path of the request is not properly encoded'],
  ])('%s', async (name, code, message) => {
    expect(await lookedFor(name)).toMatchObject(statusLike(code, undefined, message));
  });

  it.each([300, 50_000])('of %d characters is looked up', async (length) => {
    const name = 'a'.repeat(length);
    expect(await lookedFor(name)).toMatchObject(statusLike(404, 'NotFound', `configmaps "${name}" not found`));
  });

  /** The response, which must be the same over both protocols. */
  async function lookedFor(name: string): Promise<Any> {
    const path = await newNamespace(t.client);
    const session = openSession(t.client);
    const http1 = await sendRaw(t.client, rawRequest(`GET ${path}/${name} HTTP/1.1`));
    expect(await send(session, { ':path': `${path}/${name}` })).toMatchObject({ status: http1.status, body: http1.body });
    session.close();
    return JSON.parse(http1.body);
  }

  it.each(['PUT', 'PATCH', 'DELETE'])('that is invalid is refused by %s', async (method) => {
    const path = await newNamespace(t.client);
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const reply = await sendRaw(t.client, rawRequest(`${method} ${path}/.. HTTP/1.1`, [`content-type: ${type}`], '{}'));
    expect(JSON.parse(reply.body)).toMatchObject(statusLike(400, 'BadRequest', `Name parameter invalid: "..": may not be '..'`));
  });

  it.each(['a\u0000b', 'a b', 'a\tb', 'a\u007fb', 'a\u00ffb'])('cannot contain %j unescaped', async (name) => {
    const path = await newNamespace(t.client);
    const reply = await sendRaw(t.client, rawRequest(`GET ${path}/${name} HTTP/1.1`));
    expect(reply).toMatchObject({ status: 400, closed: true });
  });
});

describe('a namespace in a path', () => {
  it.each(['..', '.', '%2e%2e'])('%s is refused', async (name) => {
    const reply = await sendRaw(t.client, rawRequest(`GET /api/v1/namespaces/${name}/configmaps HTTP/1.1`));
    expect(JSON.parse(reply.body)).toMatchObject(statusLike(400, 'BadRequest', /^invalid key: "\/configmaps\/\.\.?"$/));
  });

  it.each([
    ['NUL', 'a%00b'],
    ['5,000 characters', 'x'.repeat(5000)],
    ['__proto__', '__proto__'],
    ['constructor', 'constructor'],
  ])('%s is empty', async (_, name) => {
    const list = `/api/v1/namespaces/${name}/configmaps`;
    const version = (await t.client.get(list)).body.metadata.resourceVersion;
    for (const query of ['', '?limit=1', `?resourceVersion=${version}&resourceVersionMatch=Exact`])
      expect((await t.client.get(list + query)).body).toMatchObject({ kind: 'ConfigMapList', items: [] });
    const reply = await t.client.send('POST', list, { metadata: { name: 'a' } });
    expect(reply.body).toMatchObject(statusLike(404, 'NotFound', /^namespaces ".*" not found$/));
  });
});

describe('a name in a body', () => {
  it.each([
    ['..', subdomain],
    ['a/b', subdomain],
    ['a%2Fb', subdomain],
    ['a\u0000b', subdomain],
    ['a\u{1f600}', subdomain],
    ['__proto__', subdomain],
    ['A', subdomain],
    ['-', subdomain],
    ['', /^ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required$/],
  ])('%j', async (name, message) => {
    const path = await newNamespace(t.client);
    expect((await t.client.send('POST', path, { metadata: { name } })).body).toMatchObject(statusLike(422, 'Invalid', message));
  });

  it.each([254, 1_000_000])('of %d characters is too long', async (length) => {
    const path = await newNamespace(t.client);
    const reply = await t.client.send('POST', path, { metadata: { name: 'a'.repeat(length) } });
    expect(reply.body).toMatchObject(statusLike(422, 'Invalid', /must be no more than 253 characters/));
  });

  it('that is not UTF-8 is refused', async () => {
    const path = await newNamespace(t.client);
    const body = Buffer.from('{"metadata":{"name":"a\xff"}}', 'latin1');
    expect((await t.client.send('POST', path, body)).body).toMatchObject(
      statusLike(422, 'Invalid', /^ConfigMap "a\ufffd" is invalid/),
    );
  });

  it.each([
    [{ name: 'b' }, 'the name of the object (b) does not match the name on the URL (a)'],
    [{ name: 'a', namespace: 'x' }, 'the namespace of the provided object does not match the namespace sent on the request'],
  ])('cannot differ from the path: %j', async (metadata, message) => {
    const path = await newNamespace(t.client);
    await t.client.send('POST', path, { metadata: { name: 'a' } });
    expect((await t.client.send('PUT', `${path}/a`, { metadata })).body).toMatchObject(statusLike(400, 'BadRequest', message));
  });
});
