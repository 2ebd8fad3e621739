import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import { memoryFiles } from '@tsukube/machinery/pki';
import { startServer } from '@tsukube/server';
import { listen } from '@tsukube/transport';
import { describe, expect, it } from 'vitest';
import { openPki } from '../../packages/server/src/pki/pki.ts';
import { clientFor } from '../support/client.ts';
import { configMap, newNamespace, useServer } from '../support/server.ts';
import { openSession, send } from './http2.ts';
import { openSocket, rawRequest, sendRaw } from './raw-http1.ts';
import { statusLike } from './status.ts';

const requestTimeout = 1000;
const t = useServer({ requestTimeout });
const notAllowed = statusLike(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource');

/** Incomplete beginnings of a request. */
const halves: readonly (readonly [string, string])[] = [
  ['nothing', ''],
  ['half a line', 'GET /api/v1/name'],
  ['half a header', 'GET /livez HTTP/1.1\r\nhost: local'],
  ['half a body', 'POST /api/v1/namespaces HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\n{"metadata"'],
  ['half a chunk', 'POST /api/v1/namespaces HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nff\r\n{"metadata"'],
];

describe('invalid HTTP/1.1', () => {
  it.each([
    ['garbage', '\u0016\u0003\u0001 hello\r\n\r\n'],
    ['a header without a colon', 'GET /livez HTTP/1.1\r\nhost: localhost\r\nbad header\r\n\r\n'],
    ['a length that is not a number', 'POST /livez HTTP/1.1\r\nhost: localhost\r\ncontent-length: abc\r\n\r\n{}'],
    ['a negative length', 'POST /livez HTTP/1.1\r\nhost: localhost\r\ncontent-length: -1\r\n\r\n{}'],
    ['two lengths', 'POST /livez HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{} '],
    [
      'a length and chunks',
      'POST /livez HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a chunk without a size', 'POST /livez HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n\r\n'],
    ['a folded line', 'GET /livez HTTP/1.1\r\nhost: localhost\r\nx: a\r\n b\r\nbad\r\n\r\n'],
    ['a URL of more than a mebibyte', `GET /livez?${'a'.repeat(1_100_000)} HTTP/1.1\r\nhost: localhost\r\n\r\n`],
    ['a header of more than a mebibyte', `GET /livez HTTP/1.1\r\nhost: localhost\r\nx: ${'a'.repeat(1_100_000)}\r\n\r\n`],
  ])('is refused, and the connection closed: %s', async (what, bytes) => {
    const { status, closed } = await sendRaw(t.client, Buffer.from(bytes, 'latin1'));
    const expected = what.includes('mebibyte') ? [431] : [400, 405];
    expect(expected).toContain(status);
    expect(closed).toBe(true);
  });

  it('is never parsed as another request (smuggling)', async () => {
    const path = await newNamespace(t.client);
    const inner = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 30\r\n\r\n{"metadata":{"name":"smuggled"}}`;
    const outer = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${inner.length}\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${inner}`;
    await sendRaw(t.client, outer);
    expect((await t.client.get(`${path}/smuggled`)).status).toBe(404);
  });
});

describe('a method', () => {
  it.each(['FOO', 'get', 'PROPFIND', 'TRACE', 'OPTIONS', 'M-SEARCH', 'CONNECT', 'constructor'])(
    'that is unknown: %s',
    async (method) => {
      const path = await newNamespace(t.client);
      const { body } = await sendRaw(t.client, rawRequest(`${method} ${path} HTTP/1.1`));
      expect(JSON.parse(body)).toMatchObject(notAllowed);
    },
  );
});

describe('a request', () => {
  it('may have an absolute URL as target', async () => {
    const { body } = await sendRaw(t.client, rawRequest(`GET ${t.client.url}/livez HTTP/1.1`));
    expect(body).toBe('ok');
  });

  it.each(['foo', 'h2c', 'TLS/1.0, websocket2'])('with Upgrade: %s is answered without an upgrade', async (protocol) => {
    const path = await newNamespace(t.client);
    await t.client.send('POST', path, configMap('a'));
    const upgrade = (target: string) =>
      sendRaw(t.client, `GET ${target} HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: ${protocol}\r\n\r\n`);
    expect(await upgrade(`${path}/a`)).toMatchObject({ status: 200, closed: true, body: expect.stringContaining('"name":"a"') });
    expect(await upgrade(`${path}/b`)).toMatchObject({ status: 404, closed: true });
    const watch = await upgrade(`${path}?watch=1&timeoutSeconds=1`);
    expect(watch).toMatchObject({ status: 200, closed: true, body: expect.stringContaining('{"type":"ADDED"') });
  });

  it.each([
    ['/api/v1/namespaces/default/configmaps', 413],
    ['/nowhere', 404],
    ['/api/v1/namespaces/default/nothings', 404],
  ])('whose body is not read is answered: %s', async (path, status) => {
    for (let i = 0; i < 5; i++) expect((await t.client.send('POST', path, ' '.repeat(8 << 20))).status).toBe(status);
  });
});

describe('an idle connection', () => {
  it('does not delay shutdown', async () => {
    const server = await startServer({ storage: 'memory', securePort: 0 });
    const client = clientFor(server.kubeconfig);
    expect((await client.get('/livez')).status).toBe(200);
    const session = openSession(client);
    expect(await send(session, { ':path': '/livez' })).toMatchObject({ status: 200 });
    const began = performance.now();
    await server.close();
    expect(performance.now() - began).toBeLessThan(5000);
    client.close();
  });
});

describe('a request that is never finished', () => {
  it.each(halves.slice(0, 3))('is closed if it has only %s', async (_, bytes) => {
    const { serving, ca } = openPki(
      memoryFiles(),
      { hosts: ['localhost', '127.0.0.1'], clientKeyAlgorithm: 'ecdsa' },
      new Date(),
    );
    const tls = { cert: serving.certificate, key: serving.key };
    const handle = () => ({ kind: 'bytes', status: 200, type: 'text/plain', body: 'ok' }) as const;
    const listener = await listen({ host: '127.0.0.1', port: 0, tls, maxStreamsPerConnection: 10, handle, headerTimeoutMs: 300 });
    const url = `https://127.0.0.1:${listener.address.port}`;
    const socket = await openSocket({ ...t.client, url, tls: { ...t.client.tls, ca: Buffer.from(ca) } });
    socket.write(bytes);
    socket.resume();
    await once(socket, 'close');
    await listener.close();
  });

  it.each(halves.slice(3))('is answered at its deadline if it has only %s', async (_, bytes) => {
    const { status, body } = await sendRaw(t.client, bytes, 2 * requestTimeout);
    expect(status).toBe(504);
    expect(JSON.parse(body)).toMatchObject(statusLike(504, 'Timeout'));
  });

  it('does not delay others', async () => {
    const path = await newNamespace(t.client);
    const sockets = await Promise.all(Array.from({ length: 250 }, () => openSocket(t.client)));
    for (const [i, socket] of sockets.entries()) leaveHalf(socket, i);
    for (let i = 0; i < 20; i++) {
      expect((await t.client.send('POST', path, configMap(`c${i}`))).status).toBe(201);
      expect((await t.client.get(`${path}/c${i}`)).status).toBe(200);
    }
    expect((await t.client.get('/readyz')).status).toBe(200);
    for (const socket of sockets) socket.destroy();
  });

  function leaveHalf(socket: TLSSocket, i: number): void {
    socket.resume();
    socket.write((halves[i % halves.length] as readonly [string, string])[1]);
  }
});

it('TLS 1.2 clients cannot renegotiate', async () => {
  const { hostname, port } = new URL(t.client.url);
  const socket = connect({ host: hostname, port: Number(port), ca: t.client.tls.ca, maxVersion: 'TLSv1.2' });
  await once(socket, 'secureConnect');
  const outcome = new Promise((resolve) => {
    socket.once('error', () => resolve('refused'));
    socket.once('close', () => resolve('refused'));
    socket.renegotiate({ rejectUnauthorized: false }, (error) => resolve(error ? 'refused' : 'renegotiated'));
  });
  // OpenSSL sends a warning alert and continues; the renegotiation never completes.
  const timeout = new Promise((resolve) => setTimeout(resolve, 2000, 'ignored'));
  expect(await Promise.race([outcome, timeout])).not.toBe('renegotiated');
  socket.destroy();
});
