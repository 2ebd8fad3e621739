import { get } from 'node:https';
import { connect, type TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { useServer } from '../support/server.ts';
import { flags, frame, framesIn, frameTypes, headerBlock, openRaw, preface, requestHeaders } from './raw-http2.ts';

const t = useServer();
const sockets: TLSSocket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** Generous for a busy machine; without limits these attacks take seconds to half a minute. */
const timeoutMs = 500;

/** HPACK: GET, https, `/`, each as an index into the static table. */
const requestLine = Buffer.of(0x82, 0x87, 0x84);

/** A literal field that enters the dynamic table. Lengths from 127 to 16,510 take three bytes. */
function indexed(name: string, value: string): Buffer {
  const text = (length: number) =>
    length < 127 ? Buffer.of(length) : Buffer.of(127, ((length - 127) & 127) | 128, (length - 127) >> 7);
  return Buffer.concat([Buffer.of(0x40), text(name.length), Buffer.from(name), text(value.length), Buffer.from(value)]);
}

/** 100 streams that refer 250 times each to a field of about 4 KB that was sent once. */
function burst(name: string, value: string, more: Buffer = Buffer.alloc(0)): Buffer {
  const references = Buffer.alloc(250, 0xbe);
  const headers = (id: number, block: Buffer) => frame(frameTypes.headers, flags.endHeaders | flags.endStream, id, block);
  const frames = [headers(1, Buffer.concat([requestLine, more, indexed(name, value), references.subarray(1)]))];
  for (let i = 1; i < 100; i++) frames.push(headers(2 * i + 1, Buffer.concat([requestLine, more, references])));
  return Buffer.concat([preface, ...frames]);
}

/** A connection without a client certificate. */
function anonymousSocket(): Promise<TLSSocket> {
  const { hostname, port } = new URL(t.client.url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), ca: t.client.tls.ca, ALPNProtocols: ['h2'] });
    socket.on('error', reject);
    sockets.push(socket);
    socket.once('secureConnect', () => resolve(socket));
  });
}

/** The latency of `/version` for another client, over an open connection. */
async function versionMs(): Promise<number> {
  const began = performance.now();
  expect((await t.client.get('/version')).status).toBe(200);
  return performance.now() - began;
}

async function expectOthersServed(attack: () => void): Promise<void> {
  await versionMs();
  attack();
  // The attack arrives first.
  await new Promise((resolve) => setTimeout(resolve, 5));
  for (let i = 0; i < 5; i++) expect(await versionMs()).toBeLessThan(timeoutMs);
}

describe('an HPACK field sent once and repeated by index', () => {
  it.each([
    ['accept', ','.repeat(3900)],
    ['accept', 'a/b;'.repeat(975)],
    ['accept', `a/b${' '.repeat(3890)}c`],
    ['accept', 'application/json,'.repeat(229)],
    ['accept-encoding', 'gzip;q=0,'.repeat(430)],
    ['x-forwarded-for', '1,'.repeat(1950)],
    ['cookie', 'a=b;'.repeat(975)],
    ['origin', 'https://a.'.repeat(390)],
    ['impersonate-group', '"'.repeat(3900)],
    ['x-remote-group', 'g'.repeat(3900)],
    ['impersonate-extra-%41', '%'.repeat(3900)],
    ['authorization', 'Bearer '.repeat(557)],
    ['content-type', 'a/b;'.repeat(975)],
    ['user-agent', '"'.repeat(3900)],
    ['audit-id', '\\'.repeat(3900)],
    ['sec-websocket-protocol', ','.repeat(3900)],
    ['sec-websocket-protocol', `base64url.bearer.authorization.k8s.io.YQ${','.repeat(3850)}`],
  ])('%s: unauthenticated clients do not delay others', async (name, value) => {
    const socket = await anonymousSocket();
    socket.resume();
    const attack = burst(name, value);
    expect(attack.length).toBeLessThan(36_000);
    await expectOthersServed(() => socket.write(attack));
  });

  it.each([
    ['impersonate-group', '"'.repeat(3900)],
    ['impersonate-extra-%41', '\u0080'.repeat(1900)],
    ['accept', ','.repeat(3900)],
    ['impersonate-group', 'g'.repeat(3900), headerBlock({ 'impersonate-user': 'u' })],
    ['impersonate-extra-scopes', 's'.repeat(3900), headerBlock({ 'impersonate-user': 'u' })],
  ])('%s: authenticated clients do not delay others', async (name, value, more = Buffer.alloc(0)) => {
    const { socket } = await openRaw(t.client, burst(name, value, more));
    sockets.push(socket);
    await expectOthersServed(() => {});
  });
});

describe('queries', () => {
  it.each([
    ['parameters', `/version?${'&a'.repeat(200_000)}`],
    ['escapes', `/version?pretty=${'%41'.repeat(150_000)}`],
    ['path elements', `/api/v1${'/a'.repeat(200_000)}`],
    ['escaped path elements', `/%61pi/v1${'/%41'.repeat(150_000)}`],
  ])('of many %s do not delay others', async (_what, path) => {
    await versionMs();
    const { hostname, port } = new URL(t.client.url);
    const answers = Array.from(
      { length: 4 },
      () =>
        new Promise<number>((resolve, reject) => {
          get({ hostname, port, path, ca: t.client.tls.ca, agent: false }, (response) => {
            response.resume();
            response.on('end', () => resolve(response.statusCode ?? 0));
          }).on('error', reject);
        }),
    );
    for (let i = 0; i < 5; i++) expect(await versionMs()).toBeLessThan(timeoutMs);
    for (const status of await Promise.all(answers)) expect([200, 403]).toContain(status);
  });
});

describe('an Accept header', () => {
  it.each([
    ['of 256 media ranges', `${'a/b,'.repeat(255)}application/json`, 200],
    ['of 257', `${'a/b,'.repeat(256)}application/json`, 406],
    ['of more than 16 KiB', `application/json;a=${'b'.repeat(16_400)}`, 406],
  ])('%s', async (_what, accept, status) => {
    expect((await t.client.get('/api/v1/namespaces', { accept })).status).toBe(status);
  });

  it('is read once: the first one, as in Go', async () => {
    const block = Buffer.concat([
      requestHeaders('GET', '/api/v1/namespaces', { accept: 'application/yaml' }),
      headerBlock({ accept: 'application/json' }),
    ]);
    const conversation = await openRaw(
      t.client,
      Buffer.concat([preface, frame(frameTypes.headers, flags.endHeaders | flags.endStream, 1, block)]),
    );
    sockets.push(conversation.socket);
    const body = () =>
      framesIn(conversation.received())
        .filter(({ type }) => type === frameTypes.data)
        .map(({ payload }) => payload.toString())
        .join('');
    await expect.poll(body, { timeout: 5000 }).toContain('kind: NamespaceList');
  });
});

it('a header list whose decoded size is too large gets 431, and the connection is closed', async () => {
  const socket = await anonymousSocket();
  const received: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => received.push(chunk));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const block = Buffer.concat([requestLine, indexed('x-padding', 'x'.repeat(3900)), Buffer.alloc(300, 0xbe)]);
  socket.write(Buffer.concat([preface, frame(frameTypes.headers, flags.endHeaders | flags.endStream, 1, block)]));
  await closed;
  const frames = framesIn(Buffer.concat(received));
  expect(frames.map(({ type }) => type)).toContain(frameTypes.goAway);
  const body = frames.filter(({ type }) => type === frameTypes.data).map(({ payload }) => payload.toString());
  expect(body.join('')).toContain('HTTP Error 431');
});
