import { type ClientHttp2Session, connect } from 'node:http2';
import { request } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { describe, expect, it, vi } from 'vitest';
import {
  answerJson,
  type BackendOptions,
  backendCertificate,
  flundersOf,
  registerBackend,
  useBackends,
} from '../support/aggregated-backend.ts';
import type { Any } from '../support/client.ts';
import { useServer } from '../support/server.ts';

const t = useServer();
const { aggregated, becomes, onEnd } = useBackends(t);

/** A TLS server that answers every request with the same bytes; nothing if they are empty. */
async function rawBackend(group: string, answer: string): Promise<string> {
  const service = group.split('.')[0] as string;
  const { pem: cert, key } = backendCertificate(`${service}.default.svc`);
  const server = createTlsServer({ cert, key }, (socket) => {
    socket.on('error', () => {}).on('data', () => void (answer !== '' && socket.write(answer)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onEnd(() => server.close());
  const { port } = server.address() as AddressInfo;
  await registerBackend(t.client, group, service, port, { insecureSkipTLSVerify: true });
  return `https://localhost:${port}/apis/${group}/v1`;
}

describe('the discovery check of a backend that', () => {
  it.concurrent.each([
    ['redirects', 'HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n', ': bad status from URL: 302'],
    ['hangs', '', 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)'],
    ['sends a huge header', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`, 'the header of the response is too large'],
    ['is not an HTTP server', 'SSH-2.0-OpenSSH\r\n', 'malformed HTTP response "SSH-2.0-OpenSSH"'],
    ['sends half a header', 'HTTP/1.1 200 OK\r\nX', 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)'],
  ])('%s fails', async (name, answer, problem) => {
    const group = `${name.toLowerCase().replaceAll(' ', '-')}.example.com`;
    const url = await rawBackend(group, answer);
    const message = expect.stringContaining(problem.replace('URL', url));
    await becomes(group, { status: 'False', reason: 'FailedDiscoveryCheck', message });
    const { status, text } = await t.client.get(flundersOf(group));
    expect([status, text]).toEqual([503, 'service unavailable\n']);
  });

  it('is not there fails, and the check succeeds once it is', async () => {
    const probe = createServer();
    await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));
    await registerBackend(t.client, 'late.example.com', 'late', port, { insecureSkipTLSVerify: true });
    await becomes('late.example.com', { status: 'False', reason: 'FailedDiscoveryCheck' });
    const { pem: cert, key } = backendCertificate('late.default.svc');
    const server = createTlsServer({ cert, key }, (socket) => {
      socket.on('error', () => {}).on('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'));
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    onEnd(() => server.close());
    await becomes('late.example.com', { status: 'True', reason: 'Passed' });
    expect((await t.client.get(flundersOf('late.example.com'))).status).toBe(200);
  });
});

describe('a backend that hangs', () => {
  /** Starts GET requests as jane, whose priority level has few seats. Resolves with the statuses of those that are answered. */
  function requestAs(user: string, path: string, session: ClientHttp2Session): Promise<number> {
    return new Promise((resolve, reject) => {
      const sent = session.request({ ':path': path, 'impersonate-user': user });
      sent.on('response', (headers) => resolve(headers[':status'] as number));
      sent.on('error', reject).resume();
    });
  }

  it('holds a limited number of requests, and delays no others', async () => {
    let held = 0;
    const handle: BackendOptions['handle'] = ({ url }, response) => {
      if (!url?.includes('flunders')) return;
      held++;
      response.once('close', () => held--);
    };
    await aggregated('hanging.example.com', { handle });
    const rules = [{ apiGroups: ['*'], resources: ['flunders', 'configmaps'], verbs: ['get', 'list'] }];
    await t.client.send('POST', '/apis/rbac.authorization.k8s.io/v1/clusterroles', { metadata: { name: 'jane' }, rules });
    await t.client.send('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata: { name: 'jane' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'jane' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jane' }],
    });
    const sessions = Array.from({ length: 6 }, () => connect(t.client.url, t.client.tls));
    const statuses: number[] = [];
    for (let i = 0; i < 550; i++) {
      const asked = requestAs('jane', flundersOf('hanging.example.com'), sessions[i % sessions.length] as ClientHttp2Session);
      asked.then(
        (status) => statuses.push(status),
        () => {},
      );
    }
    await vi.waitFor(() => expect([held, statuses.length]).toEqual([500, 50]), { timeout: 30_000, interval: 20 });
    expect(new Set(statuses)).toEqual(new Set([429]));
    const own = connect(t.client.url, t.client.tls);
    expect(await requestAs('jane', '/api/v1/namespaces/default/configmaps', own)).toBe(200);
    own.destroy();
    for (const session of sessions) session.destroy();
    await vi.waitFor(() => expect(held).toBe(0), { timeout: 15_000, interval: 20 });
    const { status } = await t.client.get('/apis/hanging.example.com/v1');
    expect(status).toBe(200);
  }, 60_000);

  it('has five seconds for discovery', async () => {
    let hangs = false;
    const group = 'stuck.example.com';
    const backend = await aggregated(group);
    const [answer] = backend.server.listeners('request') as ((...args: Any[]) => void)[];
    backend.server.removeAllListeners('request').on('request', (...args) => void (hangs || answer?.(...args)));
    hangs = true;
    const { status, text } = await t.client.get(`/apis/${group}/v1`);
    expect([status, text]).toEqual([503, 'error trying to reach service: context canceled\n']);
  }, 20_000);
});

describe('a stream', () => {
  it('of the client reaches the backend piece by piece', async () => {
    const seen: string[] = [];
    const handle: BackendOptions['handle'] = (incoming, response) => {
      incoming.on('data', (piece: Buffer) => seen.push(piece.toString()));
      incoming.on('end', () => answerJson(response, 200, { pieces: seen.length }));
    };
    const backend = await aggregated('upload.example.com', { handle });
    const sent = request(t.client.url + flundersOf('upload.example.com'), { ...t.client.tls, method: 'POST' });
    const answered = new Promise<number>((resolve) => sent.on('response', ({ statusCode = 0 }) => resolve(statusCode)));
    for (const piece of ['one', 'two', 'three']) {
      sent.write(piece);
      await vi.waitFor(() => expect(seen.at(-1)).toBe(piece), { timeout: 5000, interval: 10 });
    }
    sent.end();
    expect(await answered).toBe(200);
    const post = backend.requests.find(({ line }) => line.startsWith('POST'));
    expect(post?.headers).toMatchObject({ 'transfer-encoding': 'chunked', 'x-remote-user': 'admin' });
  });

  it('waits for a client that reads slowly', async () => {
    const total = 128 << 20;
    let written = 0;
    await aggregated('large.example.com', {
      handle({ url }, response) {
        if (!url?.includes('flunders')) return void response.writeHead(404).end();
        const piece = Buffer.alloc(1 << 16, 'x');
        const write = () => {
          for (let isFree = true; isFree && written < total; written += piece.length) isFree = response.write(piece);
          if (written >= total) response.end();
          else response.once('drain', write);
        };
        write();
      },
    });
    const sent = request(t.client.url + flundersOf('large.example.com'), t.client.tls).end();
    const response = await new Promise<Any>((resolve) => sent.on('response', resolve));
    let before = -1;
    await vi.waitFor(
      () => {
        const isStill = before === written;
        before = written;
        expect(isStill).toBe(true);
      },
      { timeout: 10_000, interval: 300 },
    );
    expect(written).toBeLessThan(64 << 20);
    let read = 0;
    for await (const piece of response) read += piece.length;
    expect(read).toBe(total);
  }, 30_000);

  it('that breaks off at the backend breaks off at the client', async () => {
    await aggregated('broken.example.com', {
      handle(_incoming, response) {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write('{"part":', () => response.socket?.destroy());
      },
    });
    await expect(t.client.get(flundersOf('broken.example.com'))).rejects.toThrow('aborted');
  });
});

it('the response to HEAD has the length and no body', async () => {
  await aggregated('head.example.com', {
    handle: (_incoming, response) => void response.writeHead(200, { 'content-length': '5' }).end('hello'),
  });
  const { status, headers, text } = await t.client.send('HEAD', flundersOf('head.example.com'));
  expect([status, headers['content-length'], text]).toEqual([200, '5', '']);
  expect((await t.client.get(flundersOf('head.example.com'))).text).toBe('hello');
});
