import { type AddressInfo, createServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { createNode, createPod, isPeer, podOn, useNode } from './setup.ts';

const refusals: Record<string, string> = {
  denied: 'HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nContent-Length: 14\r\n\r\nno, not today\n',
  missing: 'HTTP/1.1 404 Not Found\r\nContent-Length: 22\r\n\r\ncontainer not found c\n',
  status: 'HTTP/1.1 500 Internal Server Error\r\nContent-Length: 36\r\n\r\n{"kind":"Status","message":"broken"}',
  moved: 'HTTP/1.1 302 Found\r\nLocation: https://elsewhere.example/\r\nContent-Length: 0\r\n\r\n',
  ignored: 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
};

const t = useNode({
  interceptUpgrade(request, socket: Duplex) {
    const [, pod = ''] = /^\/\w+\/[^/]+\/(\w+)/.exec(request.url ?? '') ?? [];
    if (pod === 'hanging') return true;
    const refusal = refusals[pod];
    if (refusal !== undefined) socket.end(refusal);
    return refusal !== undefined;
  },
});

const plain = createServer((socket) => {
  socket.on('error', () => {});
  socket.end('HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n');
});

beforeAll(async () => {
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
  await createNode(t.client, `${t.node}-gone`, '127.0.0.1', 1);
  await createNode(t.client, `${t.node}-plain`, '127.0.0.1', (plain.address() as AddressInfo).port);
  for (const name of [...Object.keys(refusals), 'hanging']) await createPod(t.client, t.pods, podOn(name, t.node));
  await createPod(t.client, t.pods, podOn('gone', `${t.node}-gone`));
  await createPod(t.client, t.pods, podOn('plain', `${t.node}-plain`));
});
afterAll(async () => {
  for (const name of ['gone', 'plain']) await t.client.send('DELETE', `/api/v1/nodes/${t.node}-${name}`);
  plain.close();
});

interface Session {
  readonly socket: WebSocket;
  /** Bytes received on each channel. */
  readonly channels: Record<number, string>;
  readonly closed: Promise<number>;
}

/** Opens a session of the subprotocol v5. */
function open(pod: string, query: string): Session {
  const url = `${t.client.url.replace('https', 'wss')}${t.pods}/${pod}/exec?${query}`;
  const socket = new WebSocket(url, ['v5.channel.k8s.io'], t.client.tls);
  const channels: Record<number, string> = {};
  socket.on('message', (data: Buffer) => {
    const number = data[0] as number;
    channels[number] = (channels[number] ?? '') + data.toString('utf8', 1);
  });
  socket.on('error', () => {});
  return { socket, channels, closed: new Promise((resolve) => socket.once('close', resolve)) };
}

const command = (...words: string[]) => words.map((word) => `command=${encodeURIComponent(word)}`).join('&');

describe('a session over WebSocket', () => {
  it.each<[string, string, object]>([
    ['succeeds', 'exit 0', { metadata: {}, status: 'Success' }],
    [
      'fails',
      'exit 7',
      {
        metadata: {},
        status: 'Failure',
        message: 'command terminated with non-zero exit code: command terminated with exit code 7',
        reason: 'NonZeroExitCode',
        details: { causes: [{ reason: 'ExitCode', message: '7' }] },
      },
    ],
  ])('tells that a command %s', async (_what, script, status) => {
    const { channels, closed } = open(
      'web',
      `stdout=true&stderr=true&${command('sh', '-c', `echo out; echo err >&2; ${script}`)}`,
    );
    await closed;
    expect([channels[1], channels[2], JSON.parse(channels[3] ?? '')]).toEqual(['out\n', 'err\n', status]);
  });

  it('half-closes standard input', async () => {
    const { socket, channels, closed } = open('web', `stdin=true&stdout=true&${command('sh', '-c', 'cat; echo end')}`);
    await new Promise((resolve) => socket.once('open', resolve));
    socket.send(Buffer.from('\0one '));
    socket.send(Buffer.from('\0two '));
    socket.send(Buffer.from([255, 0]));
    await closed;
    expect([channels[1], JSON.parse(channels[3] ?? '').status]).toEqual(['one two end\n', 'Success']);
  });

  it.each<[string, (target: string) => string]>([
    ['denied', () => 'unable to upgrade connection: no, not today'],
    ['missing', () => 'unable to upgrade connection: container not found c'],
    ['status', () => 'unable to upgrade connection: broken'],
    ['moved', () => 'error sending request: Post "https://elsewhere.example/": redirect not allowed'],
    ['ignored', () => 'unable to upgrade connection: ok'],
    [
      'gone',
      (target) => `error sending request: Post "https://127.0.0.1:1${target}": dial tcp 127.0.0.1:1: connect: connection refused`,
    ],
    [
      'plain',
      (target) => {
        const { port } = plain.address() as AddressInfo;
        return `error sending request: Post "https://127.0.0.1:${port}${target}": http: server gave HTTP response to HTTPS client`;
      },
    ],
  ])('reports a kubelet that is %s', async (pod, problem) => {
    const { channels, closed } = open(pod, `stdout=true&${command('true')}`);
    await closed;
    const status = JSON.parse(channels[3] ?? '{}');
    const message = problem(`/exec/${t.namespace}/${pod}/c?command=true&output=1`);
    expect(status).toMatchObject({ status: 'Failure', reason: 'InternalError', code: 500 });
    expect(status.message).toBe(`Internal error occurred: ${message}`);
  });

  it('ends when the kubelet is killed', async () => {
    const { channels, closed } = open('web', `stdout=true&${command('sh', '-c', 'echo begun; sleep 60')}`);
    await expect.poll(() => channels[1]).toBe('begun\n');
    t.kubelet.die();
    await closed;
    expect(JSON.parse(channels[3] ?? '').status).toBe('Success');
  });

  it('ends the command when the client is killed', async () => {
    const { socket, channels } = open('web', `stdin=true&stdout=true&${command('sh', '-c', 'echo begun; cat; sleep 1')}`);
    await expect.poll(() => channels[1]).toBe('begun\n');
    socket.terminate();
    await expect.poll(() => t.kubelet.connections.size, { timeout: 10_000 }).toBe(0);
  });

  it('waits for a kubelet that hangs until the client leaves', async () => {
    const { socket, channels } = open('hanging', `stdout=true&${command('true')}`);
    await expect.poll(() => t.kubelet.connections.size).toBe(1);
    expect(channels[3]).toBeUndefined();
    socket.terminate();
    // kube-apiserver keeps the connection.
    if (isPeer) t.kubelet.die();
    await expect.poll(() => t.kubelet.connections.size, { timeout: 10_000 }).toBe(0);
  });
});

it.skipIf(isPeer)('sessions are counted', async () => {
  const { text } = await t.client.get('/metrics');
  expect(text).toMatch(/apiserver_stream_translator_requests_total\{code="200"\} [1-9]/);
  expect(text).toMatch(/apiserver_stream_translator_requests_total\{code="500"\} [1-9]/);
  expect(text).toMatch(
    /apiserver_websocket_streaming_requests_total\{proxy_type="translated_at_apiserver",subresource="exec"\} [1-9]/,
  );
});
