import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { OutboundError, outboundClient } from './outbound-client.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

async function serve(listener: RequestListener): Promise<URL> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/path?a=b`);
}

const get = { method: 'GET', headers: {}, timeoutMs: 5_000 } as const;

describe('outboundClient', () => {
  it('sends method, path, headers and body, and returns status, headers and body', async () => {
    let seen: unknown;
    const url = await serve((request, response) => {
      const { method, headers } = request;
      request.on('data', (body) => {
        seen = [method, request.url, headers.host, headers['x-a'], headers['content-length'], String(body)];
      });
      request.on('end', () => response.writeHead(418, { 'x-b': '2' }).end('short and stout'));
    });
    const client = outboundClient({ maxResponseBytes: 100 });
    const response = await client.send({ method: 'POST', url, headers: { 'x-a': '1' }, body: '{"ä":1}', timeoutMs: 5_000 });
    expect(seen).toEqual(['POST', '/path?a=b', url.host, '1', '8', '{"ä":1}']);
    expect([response.status, response.headers.get('x-b'), String(response.body)]).toEqual([418, '2', 'short and stout']);
    client.close();
  });

  it('connects to the given address and keeps the Host header', async () => {
    const { port } = await serve((request, response) => response.end(request.headers.host));
    const client = outboundClient({ maxResponseBytes: 100 });
    const address = { host: '127.0.0.1', port: Number(port) };
    const { body } = await client.send({ ...get, url: new URL('http://service.test:81/'), address });
    expect(String(body)).toBe('service.test:81');
    client.close();
  });

  it('reuses connections and does not follow redirects', async () => {
    const ports = new Set<number | undefined>();
    const url = await serve((request, response) => {
      ports.add(request.socket.remotePort);
      response.writeHead(302, { location: '/other' }).end();
    });
    const client = outboundClient({ maxResponseBytes: 100 });
    for (let i = 0; i < 3; i++) expect((await client.send({ ...get, url })).status).toBe(302);
    expect(ports.size).toBe(1);
    client.close();
  });

  it('sends a request again if the server has closed the kept-alive connection', async () => {
    let requests = 0;
    const url = await serve((request, response) => {
      // The second request meets a connection that the server closes without a response.
      if (++requests === 2) request.socket.destroy();
      else response.end(String(requests));
    });
    const client = outboundClient({ maxResponseBytes: 100 });
    await client.send({ ...get, url });
    expect(String((await client.send({ ...get, url })).body)).toBe('3');
    client.close();
  });

  it('sends a request once on a new connection', async () => {
    let requests = 0;
    const url = await serve((request) => {
      requests++;
      request.socket.destroy();
    });
    await expect(outboundClient({ maxResponseBytes: 100 }).send({ ...get, url })).rejects.toBeInstanceOf(OutboundError);
    expect(requests).toBe(1);
  });

  it('rejects responses beyond the limit', async () => {
    const url = await serve((_request, response) => response.end('x'.repeat(101)));
    await expect(outboundClient({ maxResponseBytes: 100 }).send({ ...get, url })).rejects.toThrow(
      'the response is larger than 100 bytes',
    );
  });

  it.each([
    ['at the deadline', () => undefined, 20, true],
    ['when it is cancelled', () => AbortSignal.timeout(20), 5_000, false],
  ])('rejects %s', async (_, signal, timeoutMs, timedOut) => {
    const url = await serve(() => {});
    const failed = await outboundClient({ maxResponseBytes: 100 })
      .send({ ...get, url, timeoutMs, signal: signal() })
      .catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(OutboundError);
    expect(failed).toMatchObject({ timedOut });
  });

  it('rejects with the message of the system error', async () => {
    const failed = outboundClient({ maxResponseBytes: 1 }).send({ ...get, url: new URL('http://127.0.0.1:1/') });
    await expect(failed).rejects.toMatchObject({ message: expect.stringContaining('ECONNREFUSED'), timedOut: false });
  });
});
