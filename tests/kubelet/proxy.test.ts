import { createServer, type IncomingMessage, type Server } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect } from 'node:tls';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { create, createPod, hostAddress, isPeer, podOn, useNode } from './setup.ts';

const host = hostAddress ?? '127.0.0.1';
const t = useNode({ host, hosts: [host] });

let backend: Server;
let port: number;
const sockets = new Set<Duplex>();

const page = `<!DOCTYPE html><html><body BACKGROUND='/bg.png'><!-- <a href="/no"> --><A HREF=/x?a=1&amp;b=2>x</A>
<a href="relative">r</a><a href="https://other.example/y">o</a><img src="/i.png" alt="a &lt; b"/><script>var a = '<a href="/z">';</script>
<input disabled></body></html>`;

function answer(incoming: IncomingMessage, response: import('node:http').ServerResponse): void {
  const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://backend');
  if (pathname === '/page') return void response.setHeader('content-type', 'text/html; charset=utf-8').end(page);
  if (pathname === '/zipped')
    return void response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' }).end(gzipSync(page));
  if (pathname === '/cors')
    return void response
      .writeHead(200, { 'access-control-allow-origin': '*', 'x-kept': '1', 'cache-control': 'max-age=5', 'content-length': '1' })
      .end('c');
  if (pathname === '/teapot') return void response.writeHead(418, { 'content-type': 'text/plain' }).end('short and stout');
  if (pathname === '/reset') return void incoming.socket.destroy();
  if (pathname === '/to') {
    const location = (searchParams.get('location') ?? '').replace('SELF', `${host}:${port}`);
    return void response.writeHead(302, { location }).end();
  }
  const { method, url, headers } = incoming;
  response.writeHead(200, { 'content-type': 'application/json' });
  const pieces: Buffer[] = [];
  incoming.on('data', (piece: Buffer) => pieces.push(piece));
  incoming.on('end', () => response.end(JSON.stringify({ method, url, headers, body: Buffer.concat(pieces).toString() })));
}

beforeAll(async () => {
  backend = createServer(answer);
  backend.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  backend.on('upgrade', (incoming: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => {});
    if (incoming.url?.startsWith('/refused')) return void socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno');
    if (incoming.url?.startsWith('/ignored')) return void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\nX-Url: ${incoming.url}\r\n\r\n`);
    socket.pipe(socket);
  });
  await new Promise<void>((resolve) => backend.listen(0, host, resolve));
  port = (backend.address() as AddressInfo).port;
  await createPod(t.client, t.pods, podOn('site', t.node, ['c'], [port]), host);
  await createPod(t.client, t.pods, podOn('local', t.node, ['c'], [port]), '127.0.0.1');
  const services = `/api/v1/namespaces/${t.namespace}/services`;
  const endpoints = `/api/v1/namespaces/${t.namespace}/endpoints`;
  await create(t.client, services, { kind: 'Service', metadata: { name: 's' }, spec: { ports: [{ name: 'http', port: 80 }] } });
  const target = (name: string) => ({ targetRef: { kind: 'Pod', name, namespace: t.namespace } });
  const subsets = [{ addresses: [{ ip: host, ...target('site') }], ports: [{ name: 'http', port }] }];
  await create(t.client, endpoints, { kind: 'Endpoints', metadata: { name: 's' }, subsets });
  const strange = [{ addresses: [{ ip: '10.9.9.9', ...target('site') }, { ip: host }], ports: [{ name: 'http', port }] }];
  await create(t.client, endpoints, { kind: 'Endpoints', metadata: { name: 'strange' }, subsets: strange });
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  backend.close();
});

const site = (rest: string) => `${t.pods}/site/proxy${rest}`;

describe.runIf(hostAddress)('the proxy of', () => {
  it.each([
    ['a pod', () => `${t.pods}/site/proxy/`],
    ['a port of a pod', () => `${t.pods}/site:${port}/proxy/`],
    ['a pod with a scheme', () => `${t.pods}/http:site:${port}/proxy/`],
    ['a port of a service', () => `/api/v1/namespaces/${t.namespace}/services/s:80/proxy/`],
    ['a named port of a service', () => `/api/v1/namespaces/${t.namespace}/services/s:http/proxy/`],
    ['a port of a node', () => `/api/v1/nodes/${t.node}:${port}/proxy/`],
  ])('%s forwards requests', async (_what, path) => {
    const { status, body } = await t.client.send('POST', `${path()}a%2Fb/c%20d?x=1&x=%2F`, 'hello', {
      'content-type': 'text/plain',
      'x-custom': 'kept',
      cookie: 'kept=1',
      'proxy-authorization': 'dropped',
      connection: 'close, x-hop',
      'x-hop': 'dropped',
      'x-forwarded-for': '10.0.0.1',
      'impersonate-user': 'jane',
      'impersonate-group': 'system:masters',
    });
    expect([status, body.method, body.url, body.body]).toEqual([200, 'POST', '/a/b/c%20d?x=1&x=%2F', 'hello']);
    const { headers } = body;
    expect(headers).toMatchObject({
      'x-custom': 'kept',
      cookie: 'kept=1',
      'content-type': 'text/plain',
      'content-length': '5',
      'x-forwarded-for': '10.0.0.1, 127.0.0.1',
      'x-forwarded-uri': `${decodeURIComponent(path())}a/b/c%20d`,
      host: new URL(t.client.url).host,
    });
    for (const name of [
      'proxy-authorization',
      'x-hop',
      'authorization',
      'impersonate-user',
      'impersonate-group',
      'x-forwarded-host',
    ])
      expect(headers[name], name).toBeUndefined();
  });

  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'])('a pod forwards %s', async (method) => {
    const { status, text } = await t.client.send(method, site('/x'));
    expect(status).toBe(200);
    if (method !== 'HEAD') expect(JSON.parse(text)).toMatchObject({ method, url: '/x', body: '' });
  });

  it('a node is its kubelet', async () => {
    const { status, text, headers } = await t.client.send('PUT', `/api/v1/nodes/${t.node}/proxy/echo?q=1`, 'body');
    expect([status, headers['x-kubelet'], text.split('\n')[1]]).toEqual([200, 'echo', 'body']);
    expect(t.kubelet.seen.at(-1)?.client).toContain('system:masters/');
  });

  it.each<[string, string, number, string]>([
    ['/teapot', 'status', 418, 'short and stout'],
    ['/a/../b', 'path', 200, '"url":"/b"'],
    ['//double//slash/', 'path', 200, '"url":"/double/slash/"'],
  ])('a pod passes on the answer to %s: %s', async (path, _what, status, text) => {
    const answered = await t.client.get(site(path));
    expect([answered.status, answered.text]).toEqual([status, expect.stringContaining(text)]);
  });

  it.each<[string, number, string | undefined]>([
    ['', 301, '/'],
    ['?q=1', 301, '/?q=1'],
  ])('a pod redirects to a path with a slash: %j', async (rest, status, location) => {
    const answered = await t.client.get(site(rest));
    expect([answered.status, answered.headers.location, answered.text]).toEqual([status, site(location as string), '']);
  });

  it.each<[string, (prefix: string) => string]>([
    ['/else?q=1', (prefix) => `${prefix}/else?q=1`],
    ['/else/', (prefix) => `${prefix}/else/`],
    ['else', () => 'else'],
    ['http://SELF/else', (prefix) => `${prefix}/else`],
    ['https://other.example/', () => 'https://other.example/'],
  ])('a pod rewrites redirects to %s', async (location, expected) => {
    const answered = await t.client.get(site(`/to?location=${encodeURIComponent(location)}`));
    expect([answered.status, answered.headers.location]).toEqual([302, expected(site(''))]);
  });

  it('a pod rewrites the links of pages', async () => {
    const prefix = site('');
    const expected = `<!DOCTYPE html><html><body background="${prefix}/bg.png"><!-- <a href="/no"> --><a href="${prefix}/x?a=1&amp;b=2">x</A>
<a href="relative">r</a><a href="https://other.example/y">o</a><img src="${prefix}/i.png" alt="a &lt; b"/><script>var a = '<a href="/z">';</script>
<input disabled=""></body></html>`;
    expect((await t.client.get(site('/page'))).text).toBe(expected);
  });

  it('a pod rewrites the links of compressed pages', async () => {
    const pieces: Buffer[] = [];
    await new Promise<void>((resolve, reject) => {
      const sent = request(
        t.client.url + site('/zipped'),
        { ...t.client.tls, headers: { 'accept-encoding': 'gzip' } },
        (response) => {
          response.on('data', (piece: Buffer) => pieces.push(piece)).on('end', resolve);
        },
      );
      sent.on('error', reject).end();
    });
    expect(gunzipSync(Buffer.concat(pieces)).toString()).toContain(`<a href="${site('/x')}?a=1&amp;b=2">`);
  });

  it('a pod removes CORS headers and keeps others', async () => {
    const { headers } = await t.client.get(site('/cors'));
    expect(headers).toMatchObject({ 'x-kept': '1', 'content-length': '1', 'cache-control': 'no-cache, private, max-age=5' });
    expect(headers['access-control-allow-origin']).toBeUndefined();
    expect(headers['audit-id']).toBeDefined();
  });

  it.each<[string, () => string, number, string | RegExp]>([
    ['a local pod', () => `${t.pods}/local/proxy/`, 400, 'address not allowed'],
    ['no pod', () => `${t.pods}/none/proxy/`, 404, 'pods "none" not found'],
    ['a bad name', () => `${t.pods}/ftp:site:1/proxy/`, 400, 'invalid pod request "ftp:site:1"'],
    [
      'a closed port',
      () => `${t.pods}/site:1/proxy/`,
      503,
      `error trying to reach service: dial tcp ${host}:1: connect: connection refused`,
    ],
    [
      'an unknown port',
      () => `${t.pods}/site:nope/proxy/`,
      503,
      'error trying to reach service: dial tcp: lookup tcp/nope: unknown port',
    ],
    [
      'TLS to HTTP',
      () => `${t.pods}/https:site:${port}/proxy/`,
      503,
      'error trying to reach service: tls: first record does not look like a TLS handshake',
    ],
    ['a reset', () => site('/reset'), 503, 'error trying to reach service: EOF'],
    [
      'addresses that are no pods',
      () => `/api/v1/namespaces/${t.namespace}/services/strange:http/proxy/`,
      503,
      'no endpoints available for service "strange:http"',
    ],
    [
      'a port that the service lacks',
      () => `/api/v1/namespaces/${t.namespace}/services/s:81/proxy/`,
      503,
      'no service port 81 found for service "s"',
    ],
    [
      'no port of a service',
      () => `/api/v1/namespaces/${t.namespace}/services/s/proxy/`,
      503,
      'no endpoints available for service "s"',
    ],
    ['no service', () => `/api/v1/namespaces/${t.namespace}/services/none/proxy/`, 404, 'services "none" not found'],
    ['a local node', () => `/api/v1/nodes/${t.node}-local/proxy/`, 404, `nodes "${t.node}-local" not found`],
  ])('%s fails', async (what, path, status, message) => {
    // kube-apiserver panics.
    if (isPeer && what === 'an unknown port') return;
    const answered = await t.client.get(path());
    expect([answered.status, answered.body.message]).toEqual([status, message]);
  });

  it.each([1, 10_000, 5_000_000])('a pod passes on %i bytes both ways', async (length) => {
    const { body } = await t.client.send('POST', site('/big'), 'x'.repeat(length));
    expect(body.body.length).toBe(length);
  });
});

/** Sends an upgrade request, and returns what comes back until the connection ends. */
function upgrade(path: string, message: string): Promise<string> {
  const { hostname, port: at } = new URL(t.client.url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(at), ...t.client.tls, ALPNProtocols: ['http/1.1'] }, () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n`);
    });
    let text = '';
    socket.on('data', (piece) => {
      text += piece.toString();
      if (text.includes('101 Switching') && text.includes('\r\n\r\n') && !text.includes(message)) socket.write(message);
      if (text.endsWith(message) || /^HTTP\/1.1 [45]/.test(text)) socket.end();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
  });
}

describe.runIf(hostAddress)('an upgrade through a proxy', () => {
  it('passes bytes in both directions', async () => {
    const text = await upgrade(site('/up/?q=1'), 'over there');
    expect(text).toMatch(/^HTTP\/1.1 101 Switching Protocols\r\n/);
    expect(text).toContain('X-Url: /up/\r\n');
    expect(text.split('\r\n\r\n')[1]).toBe('over there');
  });

  it.each<[string, number, string]>([
    ['/refused', 403, 'no'],
    ['/ignored', 500, 'invalid upgrade response: status code 200'],
  ])('that is %s', async (path, status, text) => {
    const answered = await upgrade(site(path), '-');
    expect(answered).toContain(`HTTP/1.1 ${status} `);
    expect(answered).toContain(text);
  });

  it('to a closed port', async () => {
    const answered = await upgrade(`${t.pods}/site:1/proxy/`, '-');
    expect(answered).toContain('HTTP/1.1 500 ');
    expect(answered).toContain(`error dialing backend: dial tcp ${host}:1: connect: connection refused`);
  });

  it('ends when the backend ends', async () => {
    const before = sockets.size;
    const { hostname, port: at } = new URL(t.client.url);
    const socket = connect({ host: hostname, port: Number(at), ...t.client.tls, ALPNProtocols: ['http/1.1'] });
    socket.write(`GET ${site('/up')} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n`);
    socket.on('error', () => {});
    socket.resume();
    await expect.poll(() => sockets.size).toBe(before + 1);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    for (const each of sockets) each.destroy();
    await closed;
  });
});
