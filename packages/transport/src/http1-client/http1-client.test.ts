import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { Readable } from 'node:stream';
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

  it('are not reused after unsolicited bytes', async () => {
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

describe('a streamed request', () => {
  const streamed = { head: request.head, body: undefined, isChunked: false, isHead: false, connectTimeoutMs: 5000 };
  const textOf = async (body: Buffer | Readable) =>
    Buffer.isBuffer(body) ? String(body) : Buffer.concat(await body.toArray()).toString();

  it('has a Buffer as body if it arrived with the head, and keeps the connection', async () => {
    const { destination, sockets } = await serve((socket, i) => socket.write(answer(`${i}`)));
    const client = clientWith();
    for (const expected of ['0', '1']) {
      const { body, raw } = await client.open({ ...streamed, destination });
      expect([Buffer.isBuffer(body), String(body), raw]).toEqual([true, expected, ['content-length', '1']]);
    }
    expect(sockets.length).toBe(1);
  });

  it('has a stream as body that may exceed the limit of other responses, and keeps the connection', async () => {
    const { destination, sockets } = await serve((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 3000\r\n\r\n');
      setImmediate(() => socket.write('x'.repeat(3000)));
    });
    const client = clientWith();
    for (let i = 0; i < 2; i++) {
      const { body } = await client.open({ ...streamed, destination });
      expect(await textOf(body)).toBe('x'.repeat(3000));
    }
    expect(sockets.length).toBe(1);
  });

  it('fails its body if the connection breaks, and closes the connection if the body is destroyed', async () => {
    const { destination, sockets } = await serve((socket, i) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n');
      if (i === 0) setImmediate(() => socket.destroy());
    });
    const client = clientWith();
    const broken = await client.open({ ...streamed, destination });
    await expect(textOf(broken.body)).rejects.toThrow('socket hang up');
    const cut = await client.open({ ...streamed, destination });
    (cut.body as Readable).destroy();
    await expect.poll(() => sockets[1]?.readableEnded, { timeout: 5000 }).toBe(true);
  });

  it('ends its body when it is cancelled', async () => {
    const { destination } = await serve((socket) => socket.write('HTTP/1.1 200 OK\r\n\r\npart'));
    const abort = new AbortController();
    const { body } = await clientWith().open({ ...streamed, destination, signal: abort.signal });
    abort.abort();
    await expect(textOf(body)).rejects.toThrow('aborted');
  });

  it('to HEAD has no body, regardless of Content-Length', async () => {
    const { destination, sockets } = await serve((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n'));
    const client = clientWith();
    for (let i = 0; i < 2; i++) {
      const { body, headers } = await client.open({ ...streamed, destination, isHead: true });
      expect([String(body), headers.get('content-length')]).toEqual(['', '7']);
    }
    expect(sockets.length).toBe(1);
  });

  it('sends its body as it arrives, and does not reuse a connection whose response came before the end', async () => {
    const { destination, sockets } = await serve((socket, i) => (i === 0 || i === 2) && socket.write(answer('early')));
    const client = clientWith();
    const head = 'POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n';
    const body = new Readable({ read() {} });
    const { body: first } = await client.open({ ...streamed, destination, head, body, isChunked: true });
    expect(String(first)).toBe('early');
    await expect.poll(() => body.destroyed, { timeout: 5000 }).toBe(true);
    expect(sockets.length).toBe(1);
  });

  it('fails if there is no connection in time, and reports whether there was one', async () => {
    const { destination } = await serve((socket) => socket.destroy());
    await expect(clientWith().open({ ...streamed, destination })).rejects.toMatchObject({ wasConnected: true });
    const closed = { ...destination, port: 1 };
    await expect(clientWith().open({ ...streamed, destination: closed })).rejects.toMatchObject({ wasConnected: false });
  });

  it('waits while too many connections are being made', async () => {
    const { destination, sockets } = await serve((socket, i) => setImmediate(() => socket.write(answer(`${i % 10}`))));
    const client = new Http1Client({ tls: {}, maxSockets: 64, maxConnecting: 1, maxIdleSockets: 2, maxResponseBytes: 100 });
    cleanups.push(() => client.close());
    const all = await Promise.all(Array.from({ length: 20 }, () => client.open({ ...streamed, destination })));
    expect(all.map(({ status }) => status)).toEqual(Array(20).fill(200));
    await expect
      .poll(() => sockets.filter(({ readableEnded }) => !readableEnded).length, { timeout: 5000 })
      .toBeLessThanOrEqual(2);
  });
});
