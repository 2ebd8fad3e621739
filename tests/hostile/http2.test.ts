import { constants } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { configMap, newNamespace, useServer } from '../support/server.ts';
import { openSession, send, whole } from './http2.ts';
import {
  type Frame,
  flags,
  frame,
  framesIn,
  frameTypes,
  headerBlock,
  openRaw,
  type RawConversation,
  requestHeaders,
} from './raw-http2.ts';
import { statusLike } from './status.ts';

const t = useServer();
const { NGHTTP2_CANCEL } = constants;

async function expectServing(): Promise<void> {
  const path = await newNamespace(t.client);
  expect((await t.client.send('POST', path, configMap('alive'))).status).toBe(201);
  const session = openSession(t.client);
  expect(await send(session, { ':path': `${path}/alive` })).toMatchObject({ status: 200 });
  session.close();
}

/** Waits until the server has processed all input: it has answered a ping or closed the connection. */
async function settled({ socket, received, closed }: RawConversation): Promise<void> {
  if (!socket.destroyed) socket.write(frame(frameTypes.ping, flags.none, 0, Buffer.from('the end!')));
  const isLast = ({ type, payload }: Frame) =>
    type === frameTypes.goAway || (type === frameTypes.ping && String(payload) === 'the end!');
  await expect.poll(() => closed() || framesIn(received()).some(isLast), { timeout: 10_000 }).toBe(true);
}

describe('streams that are reset', () => {
  it.each([
    ['at once', 'GET', '', ''],
    ['in the middle of a body', 'POST', '{"metadata":{"name":', ''],
    ['when the body is whole', 'POST', '{"metadata":{"generateName":"x-"}}', ''],
    ['while they watch', 'GET', '', '?watch=1'],
  ])('%s, hundreds of them, do not affect others', async (_, method, body, query) => {
    const path = await newNamespace(t.client);
    const session = openSession(t.client);
    for (let i = 0; i < 400; i++) {
      const stream = session.request({ ':method': method, ':path': path + query }, { endStream: body === '' });
      const ended = whole(stream);
      if (body !== '') stream.write(body);
      if (i % 2 === 0) await new Promise(setImmediate);
      stream.close(NGHTTP2_CANCEL);
      await ended;
    }
    session.destroy();
    await expectServing();
  });

  it('faster than they are answered end their connection only', async () => {
    const path = await newNamespace(t.client);
    const raw = await openRaw(t.client);
    const open = (id: number) => frame(frameTypes.headers, flags.endHeaders, id, requestHeaders('POST', path));
    const reset = (id: number) => frame(frameTypes.reset, flags.none, id, Buffer.of(0, 0, 0, NGHTTP2_CANCEL));
    for (let i = 0; i < 5000 && !raw.socket.destroyed; i++) raw.socket.write(Buffer.concat([open(2 * i + 1), reset(2 * i + 1)]));
    await settled(raw);
    raw.socket.destroy();
    await expectServing();
  });
});

describe('an incomplete body', () => {
  const reset = (code: number) => frame(frameTypes.reset, flags.none, 1, Buffer.of(0, 0, 0, code));
  const goAway = frame(frameTypes.goAway, flags.none, 0, Buffer.alloc(8));

  it.each<[string, (socket: TLSSocket) => void]>([
    ['by a reset', (socket) => socket.write(reset(NGHTTP2_CANCEL))],
    ['by a reset without an error', (socket) => socket.write(reset(0))],
    ['by the end of the connection', (socket) => socket.end()],
    ['by closing the socket', (socket) => socket.destroy()],
    ['by GOAWAY', (socket) => socket.end(goAway)],
  ])('is not taken for a complete one: %s', async (_, breakOff) => {
    const path = await newNamespace(t.client);
    const raw = await openRaw(t.client);
    const headers = requestHeaders('POST', path, { 'content-type': 'application/yaml' });
    raw.socket.write(frame(frameTypes.headers, flags.endHeaders, 1, headers));
    raw.socket.write(frame(frameTypes.data, flags.none, 1, Buffer.from('metadata: {name: half}\n')));
    await settled(raw);
    breakOff(raw.socket);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await t.client.get(`${path}/half`)).status).toBe(404);
    raw.socket.destroy();
  });

  it('is accepted if its END_STREAM arrives', async () => {
    const path = await newNamespace(t.client);
    const raw = await openRaw(t.client);
    const headers = requestHeaders('POST', path, { 'content-type': 'application/yaml' });
    raw.socket.write(frame(frameTypes.headers, flags.endHeaders, 1, headers));
    raw.socket.write(frame(frameTypes.data, flags.endStream, 1, Buffer.from('metadata: {name: whole}\n')));
    await expect.poll(async () => (await t.client.get(`${path}/whole`)).status).toBe(200);
    raw.socket.destroy();
  });
});

describe('streams beyond the limit', () => {
  it('are queued by a client that respects the limit', async () => {
    const session = openSession(t.client);
    const replies = await Promise.all(Array.from({ length: 1000 }, () => send(session, { ':path': '/livez' })));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    session.close();
  });

  it('are refused for a client that does not', async () => {
    const raw = await openRaw(t.client);
    const watch = requestHeaders('GET', '/api/v1/configmaps?watch=1');
    for (let i = 0; i < 300; i++)
      raw.socket.write(frame(frameTypes.headers, flags.endHeaders | flags.endStream, 2 * i + 1, watch));
    await settled(raw);
    const answered = framesIn(raw.received()).filter(({ type }) => type === frameTypes.headers).length;
    expect(answered).toBeLessThanOrEqual(100);
    raw.socket.destroy();
    await expectServing();
  });
});

describe('headers', () => {
  it('with 200 names are accepted', async () => {
    const session = openSession(t.client);
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`x-${i}`, 'value']));
    expect(await send(session, { ':path': '/livez', ...many })).toMatchObject({ status: 200 });
    session.close();
  });

  it.each([
    ['a path', { ':path': `/livez?${'a'.repeat(2_000_000)}` }],
    ['a value', { ':path': '/livez', x: 'a'.repeat(2_000_000) }],
    ['names', { ':path': '/livez', ...Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`x-${i}`, 'v'])) }],
  ])('that are too long are refused: %s', async (_, headers) => {
    const session = openSession(t.client);
    const reply = await send(session, headers);
    expect([0, 431]).toContain(reply.status);
    session.destroy();
    await expectServing();
  });

  it('without END_HEADERS end the connection', async () => {
    const raw = await openRaw(t.client);
    const piece = headerBlock({ x: 'a'.repeat(16_000) });
    raw.socket.write(frame(frameTypes.headers, flags.none, 1, requestHeaders('GET', '/livez')));
    for (let i = 0; i < 2000 && !raw.socket.destroyed; i++) {
      if (!raw.socket.write(frame(frameTypes.continuation, flags.none, 1, piece)))
        await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await expect.poll(raw.closed, { timeout: 10_000 }).toBe(true);
    await expectServing();
  });

  it.each([
    ['CONNECT', '/livez'],
    ['constructor', '/api/v1/configmaps'],
    ['__proto__', '/api/v1/configmaps'],
    ['get', '/api/v1/configmaps'],
    ['', '/api/v1/configmaps'],
  ])('with the method %j get a response', async (method, path) => {
    const raw = await openRaw(t.client);
    raw.socket.write(frame(frameTypes.headers, flags.endHeaders | flags.endStream, 1, requestHeaders(method, path)));
    await settled(raw);
    raw.socket.destroy();
    await expectServing();
  });

  it.each(['constructor', 'PROPFIND'])('with the method %s are refused as in Kubernetes', async (method) => {
    const session = openSession(t.client);
    const reply = await send(session, { ':method': method, ':path': '/api/v1/configmaps' }, '');
    const message = 'the server does not allow this method on the requested resource';
    expect(JSON.parse('body' in reply ? reply.body : '')).toMatchObject(statusLike(405, 'MethodNotAllowed', message));
    session.close();
  });
});

describe('floods of frames', () => {
  it.each([
    ['pings', frame(frameTypes.ping, flags.none, 0, Buffer.alloc(8))],
    ['settings', frame(frameTypes.settings, flags.none, 0)],
    ['priorities', frame(frameTypes.priority, flags.none, 1, Buffer.of(0, 0, 0, 3, 1))],
    ['windows', frame(frameTypes.windowUpdate, flags.none, 0, Buffer.of(0, 0, 0, 1))],
    ['resets of idle streams', frame(frameTypes.reset, flags.none, 1, Buffer.of(0, 0, 0, 8))],
    ['frames of unknown types', frame(0xee, 0xff, 7, Buffer.alloc(100))],
  ])('end the connection at most: %s', async (_, one) => {
    const raw = await openRaw(t.client);
    const many = Buffer.concat(Array(1000).fill(one));
    for (let i = 0; i < 20 && !raw.socket.destroyed; i++) raw.socket.write(many);
    await settled(raw);
    raw.socket.destroy();
    await expectServing();
  });

  it('with empty DATA end at most the connection', async () => {
    const path = await newNamespace(t.client);
    const raw = await openRaw(t.client);
    raw.socket.write(frame(frameTypes.headers, flags.endHeaders, 1, requestHeaders('POST', path)));
    const empty = Buffer.concat(Array(1000).fill(frame(frameTypes.data, flags.none, 1)));
    for (let i = 0; i < 20 && !raw.socket.destroyed; i++) raw.socket.write(empty);
    await settled(raw);
    raw.socket.destroy();
    await expectServing();
  });
});

describe('resets provoked by a client', () => {
  const windowUpdate = (increment: number) => (id: number) => {
    const payload = Buffer.alloc(4);
    payload.writeUInt32BE(increment);
    return frame(frameTypes.windowUpdate, flags.none, id, payload);
  };

  it.each([
    ['window updates of zero', windowUpdate(0)],
    ['windows that are too large', windowUpdate(2 ** 31 - 1)],
    ['DATA after END_STREAM', (id: number) => frame(frameTypes.data, flags.none, id, Buffer.from('x'))],
  ])('end the connection, and the writes are not made: %s', async (_, provoke) => {
    const path = await newNamespace(t.client);
    const raw = await openRaw(t.client);
    raw.socket.on('error', () => {});
    const writes = 3000;
    for (let i = 0; i < writes && !raw.socket.destroyed; i++) {
      const id = 2 * i + 1;
      const fields = requestHeaders('POST', path, { 'content-type': 'application/json' });
      const body = Buffer.from(JSON.stringify(configMap(`write-${i}`)));
      const head = frame(frameTypes.headers, flags.endHeaders, id, fields);
      raw.socket.write(Buffer.concat([head, frame(frameTypes.data, flags.endStream, id, body), provoke(id)]));
    }
    await expect.poll(() => raw.closed(), { timeout: 10_000 }).toBe(true);
    const { body } = await t.client.get(`${path}?fieldSelector=metadata.name!%3Dkube-root-ca.crt`);
    // A request is executed only if its reset arrives in a later read.
    expect(body.items.length).toBeLessThan(100);
    await expectServing();
  });
});
