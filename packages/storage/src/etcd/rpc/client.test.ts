import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { frameMessage } from '../../grpc/calls.ts';
import { bytesTag, finish, type GrpcMethod, read, write } from '../../grpc/protobuf.ts';
import { GrpcCode } from '../../grpc/status.ts';
import { EtcdClient } from './client.ts';
import { EtcdMember, EtcdMembers } from './members.ts';

const echo: GrpcMethod<string, string> = {
  path: '/test.Test/Echo',
  encode: (text) => finish(write().uint32(bytesTag(1)).string(text)),
  decode: (message) => {
    const reader = read(message);
    reader.uint32();
    return reader.string();
  },
};

type Answer = 'ok' | 'silence' | 'drop' | { readonly code: number; readonly message: string };

const UNKNOWN_OUTCOME: Answer = { code: GrpcCode.unavailable, message: 'etcdserver: request timed out' };
const NO_LEADER: Answer = { code: GrpcCode.unavailable, message: 'etcdserver: no leader' };
const NO_SPACE: Answer = { code: GrpcCode.resourceExhausted, message: 'etcdserver: mvcc: database space exceeded' };
const STALE_TOKEN: Answer = { code: GrpcCode.unauthenticated, message: 'etcdserver: invalid auth token' };

const disposals: (() => unknown)[] = [];
afterEach(async () => {
  for (const dispose of disposals.splice(0).reverse()) await dispose();
});

describe('a read', () => {
  it.each<[string, Answer[]]>([
    ['without a leader', [NO_LEADER, NO_LEADER, 'ok']],
    ['in doubt', [UNKNOWN_OUTCOME, 'ok']],
    ['whose connection is lost', ['drop', 'ok']],
  ])('is retried %s', async (_, answers) => {
    const { client, asked } = await clientOf([[...answers]]);
    expect(await client.read(echo, 'hello')).toBe('hello');
    expect(asked()).toBe(answers.length);
  });

  it('is retried at another member', async () => {
    const { client } = await clientOf([Array(100).fill(NO_LEADER), []]);
    for (let i = 0; i < 4; i++) expect(await client.read(echo, 'hello')).toBe('hello');
  });

  it('leaves time for other members when one hangs', async () => {
    const { client } = await clientOf([Array(100).fill('silence'), []], 600);
    for (let i = 0; i < 2; i++) expect(await client.read(echo, 'hello')).toBe('hello');
  });

  it('has a deadline', async () => {
    const { client } = await clientOf([['silence']], 100);
    await expect(client.read(echo, 'hello')).rejects.toMatchObject({ name: 'Unavailable', details: 'no answer in time' });
  });
});

describe('a write', () => {
  it('is retried if it was certainly not applied', async () => {
    const { client, asked } = await clientOf([[NO_LEADER, 'ok']]);
    expect(await client.write(echo, 'hello')).toBe('hello');
    expect(asked()).toBe(2);
  });

  it.each<[string, Answer, boolean]>([
    ['in doubt', UNKNOWN_OUTCOME, false],
    ['whose connection is lost', 'drop', false],
    ['that has no answer', 'silence', false],
    ['rejected for lack of space', NO_SPACE, true],
  ])('is not retried %s', async (_, answer, unwritten) => {
    const { client, asked } = await clientOf([[answer, 'ok']], 300);
    await expect(client.write(echo, 'hello')).rejects.toMatchObject({ name: 'Unavailable', unwritten });
    expect(asked()).toBe(1);
  });

  it('is unwritten if nothing listens, or the listener is not etcd', async () => {
    const mute = createTcpServer().listen(0, '127.0.0.1');
    await once(mute, 'listening');
    disposals.push(() => mute.close());
    for (const url of ['http://127.0.0.1:1', urlOf(mute)]) {
      const client = new EtcdClient(new EtcdMembers([new EtcdMember(url, {})]), { timeoutMs: 200 });
      disposals.push(() => client.close());
      await expect(client.write(echo, 'hello')).rejects.toMatchObject({ name: 'Unavailable', unwritten: true });
    }
  });

  it('is awaited when the client closes', async () => {
    const { client } = await clientOf([['ok']]);
    await client.read(echo, 'connect');
    const written = client.write(echo, 'hello');
    await client.close();
    expect(await written).toBe('hello');
    await expect(client.write(echo, 'late')).rejects.toMatchObject({ name: 'Unavailable', unwritten: true });
  });
});

describe('a token', () => {
  it('is fetched once for all calls, and again when it is rejected', async () => {
    const { client, tokens } = await clientOf([['ok', 'ok', STALE_TOKEN, 'ok']], 1_000, { username: 'root', password: 'secret' });
    await Promise.all([client.read(echo, 'a'), client.read(echo, 'b')]);
    expect(await client.write(echo, 'c')).toBe('c');
    expect(tokens).toEqual(['token-1', 'token-1', 'token-1', 'token-2']);
  });
});

interface Stage {
  readonly client: EtcdClient;
  /** Number of calls received, without calls for tokens. */
  asked(): number;
  readonly tokens: (string | undefined)[];
}

/** Fake members that send the given responses, and then echo. */
async function clientOf(
  members: Answer[][],
  timeoutMs = 3_000,
  credentials?: { username: string; password: string },
): Promise<Stage> {
  const tokens: (string | undefined)[] = [];
  let issued = 0;
  const answer = (answers: Answer[]) => (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    stream.on('error', () => {});
    if (headers[':path'] === '/etcdserverpb.Auth/Authenticate')
      return respond(stream, finish(write().uint32(bytesTag(2)).string(`token-${++issued}`)));
    tokens.push(headers.token as string | undefined);
    act(stream, answers.shift() ?? 'ok');
  };
  const started = await Promise.all(members.map((answers) => startServer(answer(answers))));
  const client = new EtcdClient(new EtcdMembers(started.map((url) => new EtcdMember(url, {}))), { timeoutMs, credentials });
  disposals.push(() => client.close());
  return { client, asked: () => tokens.length, tokens };
}

function act(stream: ServerHttp2Stream, answer: Answer): void {
  if (answer === 'silence') return;
  if (answer === 'drop') stream.session?.destroy();
  else if (answer === 'ok') stream.once('data', (chunk: Buffer) => respond(stream, chunk.subarray(5)));
  else
    stream.respond({ ':status': 200, 'grpc-status': String(answer.code), 'grpc-message': answer.message }, { endStream: true });
}

function respond(stream: ServerHttp2Stream, message: Buffer): void {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.end(frameMessage(message));
}

async function startServer(listener: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void): Promise<string> {
  const server = createServer().on('stream', listener).listen(0, '127.0.0.1');
  server.on('session', (session) => disposals.unshift(() => session.destroy()));
  await once(server, 'listening');
  disposals.unshift(() => server.close());
  return urlOf(server);
}

function urlOf(server: { address(): AddressInfo | string | null }): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
