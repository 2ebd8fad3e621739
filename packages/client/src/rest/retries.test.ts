import { createServer, type Server, type ServerResponse } from 'node:http';
import { createSecureServer, type Http2SecureServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { certificate } from '../../../../tests/support/certificates.ts';
import { ConnectionError, type HttpMethod } from '../http/transport.ts';
import { ManualTiming } from '../timing/manual-timing.ts';
import { ApiClient, type ClientOptions } from './api-client.ts';
import { warningsIn } from './headers.ts';
import { retryAfterMs } from './retry-policy.ts';

type Step = (response: ServerResponse) => void;
const answer =
  (status: number, headers = {}, body = '{}'): Step =>
  (response) =>
    response.writeHead(status, headers).end(body);
const cut: Step = (response) => response.socket?.destroy();
const truncate: Step = (response) => {
  response.writeHead(200, { 'content-length': 100 });
  response.write('{"a":');
  setImmediate(() => response.socket?.destroy());
};

let server: Server | undefined;
let secure: Http2SecureServer | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  secure?.close();
});

async function scripted(...steps: Step[]): Promise<{ client: ApiClient; count: () => number }> {
  return scriptedWith({ rateLimit: false, retry: { initialMs: 1, maxMs: 2 } }, steps);
}

async function scriptedWith(options: ClientOptions, steps: Step[]): Promise<{ client: ApiClient; count: () => number }> {
  let count = 0;
  server = createServer((request, response) => {
    count++;
    const step = steps.shift() ?? answer(200);
    request.resume().on('end', () => step(response));
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { client: new ApiClient({ server: `http://127.0.0.1:${port}` }, options), count: () => count };
}

const soon = { 'retry-after': '0' };

describe('a request is repeated', () => {
  it.each<[HttpMethod, string, Step]>([
    ['GET', '429', answer(429)],
    ['GET', '500', answer(500)],
    ['GET', '503', answer(503)],
    ['GET', 'a lost connection', cut],
    ['GET', 'half a response', truncate],
    ['POST', '429 with Retry-After', answer(429, soon)],
    ['DELETE', '503 with Retry-After', answer(503, soon)],
  ])('%s after %s', async (method, _, step) => {
    const { client, count } = await scripted(step, step, answer(200, {}, '{"kind":"X"}'));
    const body = method === 'GET' ? undefined : {};
    expect(await client.json({ method, path: '/', body })).toEqual({ kind: 'X' });
    expect(count()).toBe(3);
  });

  it('after a lost connection, if the caller declares it idempotent', async () => {
    const { client, count } = await scripted(cut);
    await client.json({ method: 'PATCH', path: '/', body: {}, idempotent: true });
    expect(count()).toBe(2);
  });

  it('with new credentials after 401, once', async () => {
    const { client, count } = await scripted(answer(401), answer(401), answer(401));
    const credentials = { authorization: () => 'Bearer x', certificate: () => undefined, refresh: () => true };
    const rotating = new ApiClient({ ...client.config, credentials }, { rateLimit: false });
    await expect(rotating.text({ method: 'GET', path: '/' })).rejects.toMatchObject({ code: 401 });
    expect(count()).toBe(2);
  });
});

describe('a request is not repeated', () => {
  it.each<[HttpMethod, string, Step]>([
    ['POST', '500', answer(500)],
    ['POST', '429', answer(429)],
    ['PUT', 'a lost connection', cut],
    ['GET', '404', answer(404)],
    ['GET', '409 with Retry-After', answer(409, soon)],
  ])('%s after %s', async (method, _, step) => {
    const { client, count } = await scripted(step);
    await expect(client.json({ method, path: '/', ...(method !== 'GET' && { body: {} }) })).rejects.toThrow();
    expect(count()).toBe(1);
  });

  it('for ever', async () => {
    const { client, count } = await scripted(...Array<Step>(20).fill(answer(503, soon)));
    await expect(client.json({ method: 'POST', path: '/', body: {} })).rejects.toMatchObject({ code: 503 });
    expect(count()).toBe(11);
  });

  it('while it waits and its signal is aborted', async () => {
    const { client, count } = await scripted(answer(429, { 'retry-after': '30' }));
    const end = new AbortController();
    const request = client.json({ method: 'GET', path: '/', signal: end.signal });
    await expect.poll(count).toBe(1);
    end.abort(new Error('enough'));
    await expect(request).rejects.toThrow('enough');
  });
});

const succeed = (stream: ServerHttp2Stream) => {
  stream.respond({ ':status': 200 });
  stream.end('{}');
};

describe('by its own clock, a client', () => {
  it('waits for the time in Retry-After', async () => {
    const timing = new ManualTiming();
    const { client, count } = await scriptedWith({ rateLimit: false, timing }, [answer(429, { 'retry-after': '7' })]);
    const response = client.json({ method: 'POST', path: '/', body: {} });
    await expect.poll(() => timing.nextMs).toBe(7000);
    await timing.advance(6999);
    expect(count()).toBe(1);
    await timing.advance(1);
    await response;
    expect(count()).toBe(2);
  });

  it('sends a burst of requests, and then as many per second as its rate limit', async () => {
    const timing = new ManualTiming();
    const { client, count } = await scriptedWith({ rateLimit: { qps: 2, burst: 3 }, timing }, []);
    const all = Array.from({ length: 5 }, () => client.json({ method: 'GET', path: '/' }));
    await Promise.all(all.slice(0, 3));
    expect([count(), timing.nextMs]).toEqual([3, 500]);
    await timing.advance(500);
    await all[3];
    expect([count(), timing.nextMs]).toEqual([4, 500]);
    await timing.advance(500);
    await all[4];
    expect(count()).toBe(5);
  });
});

describe('over HTTP/2', () => {
  /** Streams are answered by the steps. */
  async function scriptedHttp2(...steps: ((stream: ServerHttp2Stream) => void)[]) {
    const { pem: cert, key } = certificate('localhost', { for: 'server', hosts: ['localhost'] });
    let count = 0;
    secure = createSecureServer({ cert, key, settings: { maxConcurrentStreams: 2 } });
    secure.on('sessionError', () => {});
    secure.on('stream', (stream) => {
      count++;
      stream.on('error', () => {});
      const step = steps.shift() ?? succeed;
      step(stream);
    });
    await new Promise<void>((resolve) => secure?.listen(0, '127.0.0.1', resolve));
    const { port } = secure.address() as AddressInfo;
    const config = { server: `https://127.0.0.1:${port}`, insecure: true };
    return { client: new ApiClient(config, { rateLimit: false, retry: { initialMs: 1, maxMs: 2 } }), count: () => count };
  }

  it('streams that the server refuses are sent again, even writes', async () => {
    const { client, count } = await scriptedHttp2((stream) => stream.close(7));
    await client.json({ method: 'POST', path: '/', body: {} });
    expect(count()).toBe(2);
    client.close();
  });

  it('writes are not sent again when the stream is reset', async () => {
    const { client, count } = await scriptedHttp2((stream) => stream.close(2));
    await expect(client.json({ method: 'POST', path: '/', body: {} })).rejects.toThrow(ConnectionError);
    expect(count()).toBe(1);
    client.close();
  });

  it('a response without its end is a failure', async () => {
    const half = (stream: ServerHttp2Stream) => {
      stream.respond({ ':status': 200 });
      stream.write('{"a":');
      setTimeout(() => stream.close(8), 20);
    };
    const { client, count } = await scriptedHttp2(half);
    expect(await client.json({ method: 'GET', path: '/' })).toEqual({});
    expect(count()).toBe(2);
    client.close();
  });

  it('more requests than the server allows on a connection open another one', async () => {
    const open: ServerHttp2Stream[] = [];
    const hold = (stream: ServerHttp2Stream) => void open.push(stream);
    const { client } = await scriptedHttp2(hold, hold, hold, hold, hold);
    const requests = Array.from({ length: 5 }, () => client.json({ method: 'GET', path: '/' }));
    await expect.poll(() => open.length).toBe(5);
    expect(new Set(open.map(({ session }) => session)).size).toBe(3);
    for (const stream of open) succeed(stream);
    await Promise.all(requests);
    client.close();
  });
});

describe('headers', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['3', 3000],
    ['99999', 60_000],
    ['Thu, 01 Jan 1970 00:00:11 GMT', 10_000],
    ['soon', undefined],
  ])('Retry-After %s', (header, ms) => expect(retryAfterMs(header, 1000)).toBe(ms));

  it('Warning', () => {
    expect(warningsIn(['299 - "a \\"b\\""', '299 - "c", 299 x "d"'])).toEqual(['a "b"', 'c', 'd']);
    expect(warningsIn('299 - no quotes')).toEqual([]);
  });
});
