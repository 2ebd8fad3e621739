import { connect as connectPlain } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { configMap, newNamespace, useServer } from '../support/server.ts';
import { openSocket } from './raw-http1.ts';

const t = useServer();

const handshake = (path: string) =>
  [
    `GET ${path}?watch=1 HTTP/1.1`,
    'host: localhost',
    'connection: Upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==',
    '\r\n',
  ].join('\r\n');

async function openWatch(path: string): Promise<TLSSocket> {
  const socket = await openSocket(t.client);
  socket.write(handshake(path));
  const [first] = await new Promise<[Buffer]>((resolve) => socket.once('data', (chunk: Buffer) => resolve([chunk])));
  expect(String(first)).toMatch(/^HTTP\/1\.1 101 /);
  return socket;
}

function closed(socket: TLSSocket): Promise<void> {
  socket.resume();
  return socket.closed ? Promise.resolve() : new Promise((resolve) => socket.once('close', () => resolve()));
}

async function expectServing(path: string): Promise<void> {
  expect((await t.client.send('POST', path, configMap('alive'))).status).toBe(201);
}

describe('a WebSocket', () => {
  it.each([
    ['an unmasked frame', Buffer.from([0x81, 0x01, 0x41])],
    ['a frame of a reserved kind', Buffer.from([0x83, 0x80, 0, 0, 0, 0])],
    ['a frame with reserved bits', Buffer.from([0xf1, 0x80, 0, 0, 0, 0])],
    ['a ping of more than 125 bytes', Buffer.from([0x89, 0xfe, 0x01, 0x00, 0, 0, 0, 0, ...Buffer.alloc(256)])],
    ['a ping in pieces', Buffer.from([0x09, 0x80, 0, 0, 0, 0])],
    ['a continuation without a first frame', Buffer.from([0x80, 0x80, 0, 0, 0, 0])],
    ['text that is not UTF-8', Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0xff])],
    ['a close with an incomplete code', Buffer.from([0x88, 0x81, 0, 0, 0, 0, 0x03])],
    ['a frame that claims eight exbibytes', Buffer.from([0x82, 0xff, 0x7f, ...Buffer.alloc(7, 0xff), 0, 0, 0, 0])],
    ['a frame of a mebibyte', Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, ...Buffer.alloc(1 << 20)])],
    ['an HTTP request', Buffer.from('GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n')],
  ])('ends with %s', async (_, bytes) => {
    const path = await newNamespace(t.client);
    const socket = await openWatch(path);
    socket.write(bytes);
    await closed(socket);
    await expectServing(path);
  });

  it.each([
    ['no key', 'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==', 'x: y'],
    ['an invalid key', 'AAAAAAAAAAAAAAAAAAAAAA==', 'short'],
    ['an unsupported version', 'version: 13', 'version: 99'],
    ['another method', 'GET ', 'POST '],
  ])('is not opened with %s', async (_, part, instead) => {
    const path = await newNamespace(t.client);
    const socket = await openSocket(t.client);
    const text = new Promise<string>((resolve) => socket.once('data', (chunk: Buffer) => resolve(String(chunk))));
    socket.write(handshake(path).replace(part, instead));
    expect(await text).toMatch(/^HTTP\/1\.1 4\d\d /);
    await closed(socket);
    await expectServing(path);
  });
});

describe('plain HTTP', () => {
  it('is refused on the TLS port', async () => {
    const path = await newNamespace(t.client);
    const { hostname, port } = new URL(t.client.url);
    for (let i = 0; i < 20; i++) {
      const socket = connectPlain(Number(port), hostname, () => socket.write('GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n'));
      socket.on('error', () => {});
      const answer = await new Promise<string>((resolve) => {
        let text = '';
        socket.on('data', (chunk: Buffer) => {
          text += chunk;
        });
        socket.on('close', () => resolve(text));
      });
      expect(answer).not.toContain('200 OK');
    }
    await expectServing(path);
  });
});
