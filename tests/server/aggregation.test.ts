import { request } from 'node:https';
import { type AddressInfo, createServer, type Server } from 'node:net';
import type { Duplex } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { hostAddress } from '../kubelet/setup.ts';
import {
  answerJson,
  availability,
  type BackendOptions,
  backendCertificate,
  flundersOf,
  registerApi,
  registerBackend,
  useBackends,
} from '../support/aggregated-backend.ts';
import type { Any } from '../support/client.ts';
import { useServer } from '../support/server.ts';

const t = useServer();
const { start: backendOf, aggregated, becomes, onEnd } = useBackends(t);
const path = flundersOf;

describe('a request for an aggregated API', () => {
  it('is forwarded with the identity of its user', async () => {
    const handle: BackendOptions['handle'] = (incoming, response) => {
      const pieces: Buffer[] = [];
      incoming.on('data', (piece: Buffer) => pieces.push(piece));
      incoming.on('end', () => answerJson(response, 201, { received: Buffer.concat(pieces).toString() }));
    };
    const backend = await aggregated('identity.example.com', { handle });
    const forged = { 'x-remote-user': 'root', 'x-remote-group': 'system:masters', 'x-remote-extra-a': 'b', 'x-kept': 'yes' };
    const target = `${path('identity.example.com', '/a%20b')}?dryRun=All&x=1`;
    const { status, body } = await t.client.send('POST', target, { a: 1 }, forged);
    expect([status, body]).toEqual([201, { received: '{"a":1}' }]);
    const seen = backend.requests.find(({ line }) => line.startsWith('POST'));
    expect(seen?.line).toBe(`POST ${target}`);
    expect(seen?.clientName).toBe('front-proxy-client');
    expect(seen?.headers).toMatchObject({
      'x-remote-user': 'admin',
      'x-remote-group': 'system:masters, system:authenticated',
      'x-kept': 'yes',
      'content-length': '7',
    });
    expect(seen?.headers['x-remote-extra-a']).toBeUndefined();
  });

  it('is forwarded as the impersonated user, without credentials', async () => {
    const backend = await aggregated('acting.example.com', { handle: (_incoming, response) => answerJson(response, 200, {}) });
    const headers = {
      'impersonate-user': 'jane',
      'impersonate-uid': '7',
      'impersonate-extra-a%2fb': 'c',
      'impersonate-group': 'system:masters',
    };
    await t.client.get(path('acting.example.com'), headers);
    const seen = backend.requests.find(({ line }) => line.includes('flunders'))?.headers ?? {};
    expect(seen).toMatchObject({ 'x-remote-user': 'jane', 'x-remote-uid': '7', 'x-remote-extra-a%2fb': 'c' });
    expect(Object.keys(seen).filter((name) => name.startsWith('impersonate-') || name === 'authorization')).toEqual([]);
  });

  it('streams a watch, and ends at the backend when the client leaves', async () => {
    let isClosed = false;
    let send: (event: Any) => void = () => {};
    await aggregated('watched.example.com', {
      handle({ url }, response) {
        if (!url?.includes('watch=true')) return void response.writeHead(404).end();
        response.writeHead(200, { 'content-type': 'application/json' });
        send = (event) => response.write(`${JSON.stringify(event)}\n`);
        send({ type: 'ADDED', object: { n: 1 } });
        response.once('close', () => {
          isClosed = true;
        });
      },
    });
    const watch = await t.client.watch(`${path('watched.example.com')}?watch=true`);
    expect(await watch.next()).toMatchObject({ object: { n: 1 } });
    send({ type: 'MODIFIED', object: { n: 2 } });
    expect(await watch.next()).toMatchObject({ object: { n: 2 } });
    watch.close();
    await vi.waitFor(() => expect(isClosed).toBe(true), 5000);
  });

  it('is answered with errors of the backend, and never follows redirects', async () => {
    await aggregated('errors.example.com', {
      handle({ url }, response) {
        if (url?.endsWith('/moved')) return void response.writeHead(302, { location: 'https://127.0.0.1:1/secret' }).end('x');
        if (url?.endsWith('/reset')) return void response.socket?.destroy();
        if (url?.endsWith('/huge')) return void response.writeHead(200, { 'x-huge': 'x'.repeat(100_000) }).end();
        response.writeHead(418, { 'content-type': 'text/plain', 'x-own': '1' }).end('short and stout');
      },
    });
    const teapot = await t.client.get(path('errors.example.com', '/tea'));
    expect([teapot.status, teapot.headers['x-own'], teapot.text]).toEqual([418, '1', 'short and stout']);
    const moved = await t.client.get(path('errors.example.com', '/moved'));
    expect([moved.status, moved.headers.location]).toEqual([502, undefined]);
    expect(moved.text).toBe('the backend attempted to redirect this request, which is not permitted');
    for (const name of ['reset', 'huge']) {
      const { status, text } = await t.client.get(path('errors.example.com', `/${name}`));
      expect([status, text]).toEqual([503, expect.stringMatching(/^error trying to reach service: .*\n$/)]);
    }
  });

  it.each([
    ['switches protocols', '/ok', 101],
    ['is refused with the status of the backend', '/refused', 403],
    ['fails if the backend ignores it', '/ignored', 503],
  ])('for an upgrade %s', async (_, name, expected) => {
    const group = `upgrade${name.slice(1)}.example.com`;
    await aggregated(group, {
      onUpgrade({ url }, socket) {
        if (url?.endsWith('/refused')) return void socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno');
        if (url?.endsWith('/ignored')) return void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n');
        socket.pipe(socket);
      },
    });
    const outcome = await upgrade(path(group, name));
    expect(outcome.status).toBe(expected);
    if (expected === 101) expect(outcome.echoed).toBe('hello');
    if (expected === 503) expect(outcome.text).toBe('invalid upgrade response: status code 200\n');
  });
});

interface Upgraded {
  readonly status: number;
  readonly text?: string;
  readonly echoed?: string;
}

function upgrade(target: string): Promise<Upgraded> {
  return new Promise((resolve, reject) => {
    const headers = { connection: 'Upgrade', upgrade: 'echo' };
    const sent = request(t.client.url + target, { ...t.client.tls, agent: false, headers });
    sent.on('upgrade', (_response, socket: Duplex) => {
      socket.once('data', (bytes: Buffer) => {
        resolve({ status: 101, echoed: bytes.toString() });
        socket.destroy();
      });
      socket.write('hello');
    });
    sent.on('response', async (response) => {
      let text = '';
      for await (const piece of response) text += piece;
      resolve({ status: response.statusCode ?? 0, text });
    });
    sent.on('error', reject);
    sent.end();
  });
}

describe('an aggregated API is unavailable', () => {
  const unavailable = async (group: string) => {
    const { status, headers, text } = await t.client.get(path(group));
    expect([status, headers['content-type'], text]).toEqual([503, 'text/plain; charset=utf-8', 'service unavailable\n']);
  };

  it('without its Service', async () => {
    await registerApi(
      t.client,
      'nowhere.example.com',
      { namespace: 'default', name: 'nowhere' },
      { insecureSkipTLSVerify: true },
    );
    await becomes('nowhere.example.com', { status: 'False', reason: 'ServiceNotFound' });
    await unavailable('nowhere.example.com');
  });

  it('if the port is closed', async () => {
    await registerBackend(t.client, 'closed.example.com', 'closed', 1, { insecureSkipTLSVerify: true });
    const url = 'https://localhost:1/apis/closed.example.com/v1';
    await becomes('closed.example.com', { status: 'False', reason: 'FailedDiscoveryCheck' });
    const { message } = await availability(t.client, 'closed.example.com');
    expect(message).toMatch(
      new RegExp(`^failing or missing response from ${url}: Get "${url}": dial tcp .*: connection refused$`),
    );
    await unavailable('closed.example.com');
  });

  it('if its certificate is for another name', async () => {
    const certificate = backendCertificate('other.default.svc');
    const backend = await backendOf({ group: 'misnamed.example.com', service: 'misnamed', certificate });
    await registerBackend(t.client, 'misnamed.example.com', 'misnamed', backend.port, { caBundle: backend.caBundle });
    const message = expect.stringContaining('x509: certificate is valid for other.default.svc, not misnamed.default.svc');
    await becomes('misnamed.example.com', { status: 'False', reason: 'FailedDiscoveryCheck', message });
    await unavailable('misnamed.example.com');
  });

  it('if it has no discovery, until it has', async () => {
    const backend = await backendOf({ group: 'other.example.com', service: 'late' });
    await registerBackend(t.client, 'late.example.com', 'late', backend.port, { caBundle: backend.caBundle });
    const url = `https://localhost:${backend.port}/apis/late.example.com/v1`;
    const message = `failing or missing response from ${url}: bad status from ${url}: 404`;
    await becomes('late.example.com', { status: 'False', reason: 'FailedDiscoveryCheck', message });
    backend.server.removeAllListeners('request').on('request', (_incoming, response) => answerJson(response, 200, { items: [] }));
    await becomes('late.example.com', { status: 'True', reason: 'Passed' });
    expect((await t.client.get(path('late.example.com'))).body).toEqual({ items: [] });
  });

  it('if it speaks plain HTTP', async () => {
    const plain: Server = createServer((socket) =>
      socket.on('error', () => {}).end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'),
    );
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    onEnd(() => plain.close());
    const { port } = plain.address() as AddressInfo;
    await registerBackend(t.client, 'plain.example.com', 'plain', port, { insecureSkipTLSVerify: true });
    const message = expect.stringMatching(/: http: server gave HTTP response to HTTPS client$/);
    await becomes('plain.example.com', { status: 'False', reason: 'FailedDiscoveryCheck', message });
    await unavailable('plain.example.com');
  });
});

describe.runIf(hostAddress)('two replicas of a backend', () => {
  it('share the requests, and one takes over when the other is killed', async () => {
    const group = 'replicated.example.com';
    const host = hostAddress as string;
    const answer: BackendOptions['handle'] = (_incoming, response) => answerJson(response, 200, { items: [] });
    const onUpgrade: BackendOptions['onUpgrade'] = (_incoming, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n');
      socket.pipe(socket);
    };
    const start = () => backendOf({ group, service: 'replicated', host, handle: answer, onUpgrade });
    const replicas = [await start(), await start()] as const;
    await t.client.send('POST', '/api/v1/namespaces/default/services', {
      metadata: { name: 'replicated' },
      spec: { ports: [{ port: 443 }] },
    });
    for (const { port } of replicas) {
      const labels = { 'kubernetes.io/service-name': 'replicated' };
      const slice = {
        metadata: { name: `replicated-${port}`, labels },
        addressType: 'IPv4',
        ports: [{ name: '', port }],
        endpoints: [{ addresses: [host] }],
      };
      expect((await t.client.send('POST', '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', slice)).status).toBe(
        201,
      );
    }
    await registerApi(t.client, group, { namespace: 'default', name: 'replicated' }, { caBundle: replicas[0].caBundle });
    await becomes(group, { status: 'True', reason: 'Passed' });
    const statuses = new Set<number>();
    const read = async () => void statuses.add((await t.client.get(path(group))).status);
    for (let i = 0; i < 20; i++) await Promise.all([read(), read(), read()]);
    const reads = replicas.map(({ requests }) => requests.filter(({ line }) => line.includes('flunders')).length);
    expect(Math.min(...reads)).toBeGreaterThan(5);
    const load = Array.from({ length: 100 }, (_, i) => new Promise((resolve) => setTimeout(resolve, i)).then(read));
    await replicas[0].close();
    await Promise.all(load);
    expect([...statuses]).toEqual([200]);
    const upgrades = await Promise.all(Array.from({ length: 6 }, () => upgrade(path(group, '/x'))));
    expect(upgrades.map(({ status }) => status)).toEqual([101, 101, 101, 101, 101, 101]);
  });
});
