import { connect as connectHttp2 } from 'node:http2';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, describe, expect, it } from 'vitest';
import { configMap, newNamespace, useServer } from '../support/server.ts';
import { flags, frame, frameTypes, preface, requestHeaders } from './raw-http2.ts';

const t = useServer({ maxRequestsInflight: 20, maxMutatingRequestsInflight: 10 });
const sockets: TLSSocket[] = [];
afterAll(() => {
  for (const socket of sockets) socket.destroy();
});

/** A connection without a client certificate. */
function anonymousSocket(protocol = 'http/1.1'): Promise<TLSSocket> {
  const { hostname, port } = new URL(t.client.url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), ca: t.client.tls.ca, ALPNProtocols: [protocol] });
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      socket.on('error', () => {});
      sockets.push(socket);
      resolve(socket);
    });
  });
}

async function expectServing(): Promise<void> {
  const path = await newNamespace(t.client);
  expect((await t.client.send('POST', path, configMap('alive'))).status).toBe(201);
  expect((await t.client.get(`${path}/alive`)).status).toBe(200);
}

const half = (path: string, more = '') =>
  `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n${more}\r\n{"metadata"`;

describe('unauthenticated clients that never finish a request', () => {
  it.each([
    ['half a header', 'GET /api/v1/pods HTTP/1.1\r\nhost: loc', undefined],
    ['half a body', half('/api/v1/namespaces'), '403'],
    ['half a body and an invalid token', half('/api/v1/namespaces', 'authorization: Bearer guess\r\n'), '401'],
  ])('%s: others are not delayed', async (_what, text, status) => {
    const all = await Promise.all(Array.from({ length: 60 }, () => anonymousSocket()));
    const answers = all.map((socket) => {
      let received = '';
      socket.on('data', (chunk: Buffer) => {
        received += chunk.toString('latin1');
      });
      socket.write(text);
      return () => received;
    });
    await expectServing();
    // Authentication comes before the body is read: the response is immediate.
    if (status !== undefined)
      await expect
        .poll(() => answers.every((received) => received().startsWith(`HTTP/1.1 ${status}`)), { timeout: 5000 })
        .toBe(true);
  });
});

describe('unauthenticated clients over HTTP/2', () => {
  it.each([
    ['without credentials', {}, 200],
    ['with an invalid token', { authorization: 'Bearer guess' }, 401],
  ])('%s get one response per connection', async (_what, headers, status) => {
    const session = connectHttp2(t.client.url, { ca: t.client.tls.ca });
    session.on('error', () => {});
    const closed = new Promise((resolve) => session.once('close', resolve));
    const answered = await new Promise((resolve, reject) => {
      const stream = session.request({ ':path': '/livez', ...headers });
      stream.once('response', (answer) => resolve(answer[':status']));
      stream.once('error', reject);
      stream.resume();
    });
    expect(answered).toBe(status);
    await closed;
  });

  it('authenticated clients keep their connection', async () => {
    const session = connectHttp2(t.client.url, t.client.tls);
    for (let i = 0; i < 3; i++) {
      const answered = await new Promise((resolve, reject) => {
        const stream = session.request({ ':path': '/livez' });
        stream.once('response', (answer) => resolve(answer[':status']));
        stream.once('error', reject);
        stream.resume();
      });
      expect(answered).toBe(200);
    }
    session.close();
  });

  it('that reset streams as fast as possible', async () => {
    const socket = await anonymousSocket('h2');
    socket.resume();
    socket.write(preface);
    const reset = Buffer.of(0, 0, 0, 8);
    for (let id = 1; id < 10_000 && !socket.destroyed; id += 2) {
      socket.write(
        Buffer.concat([
          frame(frameTypes.headers, flags.endHeaders, id, requestHeaders('POST', '/api/v1/namespaces')),
          frame(frameTypes.reset, flags.none, id, reset),
        ]),
      );
    }
    await expect.poll(() => socket.destroyed || socket.closed, { timeout: 10_000 }).toBe(true);
    await expectServing();
  });
});
