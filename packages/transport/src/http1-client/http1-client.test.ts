import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Destination } from './connection-pool.ts';
import { Http1Client } from './http1-client.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

type OnRequest = (socket: Socket, request: number) => void;

/** Calls back for every request, which must arrive in one piece. */
async function serve(onRequest: OnRequest): Promise<{ readonly destination: Destination; readonly sockets: Socket[] }> {
  const sockets: Socket[] = [];
  let requests = 0;
  const server: Server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {}).on('data', () => onRequest(socket, requests++));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { destination: { isSecure: false, host: '127.0.0.1', port, servername: '127.0.0.1' }, sockets };
}

function clientWith(maxSockets = 64): Http1Client {
  const client = new Http1Client({ tls: {}, maxSockets, maxResponseBytes: 100 });
  cleanups.push(() => client.close());
  return client;
}

const answer = (body: string, fields = '') => `HTTP/1.1 200 OK\r\n${fields}Content-Length: ${body.length}\r\n\r\n${body}`;
const request = { head: 'GET / HTTP/1.1\r\nhost: a\r\n\r\n', body: '', timeoutMs: 5000 };

describe('connections', () => {
  it('are bounded: further requests wait for their turn', async () => {
    const { destination, sockets } = await serve((socket, i) => setImmediate(() => socket.write(answer(`${i}`))));
    const client = clientWith(2);
    const bodies = await Promise.all(
      Array.from({ length: 20 }, async () => String((await client.send({ ...request, destination })).body)),
    );
    expect(new Set(bodies).size).toBe(20);
    expect(sockets.length).toBe(2);
  });

  it('that fail make room for requests that wait', async () => {
    const { destination, sockets } = await serve((socket, i) => (i === 0 ? socket.destroy() : socket.write(answer('late'))));
    const client = clientWith(1);
    const first = client.send({ ...request, destination });
    const second = client.send({ ...request, destination });
    await expect(first).rejects.toThrow('socket hang up');
    expect(String((await second).body)).toBe('late');
    expect(sockets.length).toBe(2);
  });

  it('are not reused after bytes that nobody asked for', async () => {
    const { destination, sockets } = await serve((socket, i) => socket.write(answer(`${i}`) + (i === 0 ? answer('forged') : '')));
    const client = clientWith();
    expect(String((await client.send({ ...request, destination })).body)).toBe('0');
    expect(String((await client.send({ ...request, destination })).body)).toBe('1');
    expect(sockets.length).toBe(2);
  });

  it('are closed before the server closes them', async () => {
    const { destination, sockets } = await serve((socket) => socket.write(answer('', 'Keep-Alive: timeout=1\r\n')));
    await clientWith().send({ ...request, destination });
    await expect.poll(() => sockets[0]?.readableEnded, { timeout: 10_000 }).toBe(true);
  });
});

describe('a request', () => {
  it('that waits for a connection has a deadline and can be cancelled', async () => {
    const { destination } = await serve(() => {});
    const client = clientWith(1);
    const abort = new AbortController();
    const held = client.send({ ...request, destination, signal: abort.signal });
    const late = client.send({ ...request, destination, timeoutMs: 20 });
    await expect(late).rejects.toMatchObject({ timedOut: true });
    abort.abort();
    await expect(held).rejects.toMatchObject({ timedOut: false, name: 'AbortError' });
    await expect(client.send({ ...request, destination, signal: abort.signal })).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('is rejected when the client is closed', async () => {
    const { destination } = await serve(() => {});
    const client = clientWith(1);
    const requests = [client.send({ ...request, destination }), client.send({ ...request, destination })];
    client.close();
    for (const each of requests) await expect(each).rejects.toThrow('the client is closed');
  });
});
