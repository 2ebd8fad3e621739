import { once } from 'node:events';
import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { frameMessage, Unframer } from '../grpc/calls.ts';
import { bytesTag, finish, type MessageWriter, read, varintTag, write } from '../grpc/protobuf.ts';
import { Compacted, type Store } from '../store.ts';
import { openEtcd } from './index.ts';

let etcd: FakeEtcd;
let store: Store;
let stop: AbortController;

beforeEach(async () => {
  etcd = await FakeEtcd.start();
  store = await openEtcd({ endpoints: [etcd.endpoint] });
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  await store.close();
  etcd.close();
});

function watch(prefix: string, from: number) {
  return store.watch(prefix, from, stop.signal)[Symbol.asyncIterator]();
}

describe('a watch with ordered progress responses', () => {
  it('requests progress until it is reported', async () => {
    const first = watch('/a/', 5).next();
    const watcher = await etcd.watcher();
    expect(await watcher.request()).toEqual({ create: { key: '/a/', end: '/a0', start: 4 } });
    watcher.send({ created: true, revision: 10 });
    expect(await watcher.request()).toBe('progress');
    expect(await watcher.request()).toBe('progress');
    watcher.send({ watcher: -1, revision: 10 });
    expect((await first).value).toEqual({ changes: [], revision: 10 });
  });

  it('has caught up at once if there is no history', async () => {
    const first = watch('/a/', 11).next();
    const watcher = await etcd.watcher();
    expect(await watcher.request()).toMatchObject({ create: { start: 11 } });
    watcher.send({ created: true, revision: 10 });
    expect((await first).value).toEqual({ changes: [], revision: 10 });
  });

  it('reports having reached a revision that a client has seen', async () => {
    const batches = watch('/a/', 11);
    const first = batches.next();
    const watcher = await etcd.watcher();
    await watcher.request();
    watcher.send({ created: true, revision: 10 });
    await first;
    const second = batches.next();
    etcd.revision = 12;
    expect(await store.revision()).toBe(12);
    expect(await watcher.request()).toBe('progress');
    watcher.send({ watcher: -1, revision: 12 });
    expect((await second).value).toEqual({ changes: [], revision: 12 });
  });
});

describe('a watch of an older etcd', () => {
  beforeEach(() => {
    etcd.version = '3.5.12';
  });

  it('watches all keys, so that every revision has an event', async () => {
    const batches = watch('/a/', 5);
    const first = batches.next();
    const watcher = await etcd.watcher();
    expect(await watcher.request()).toEqual({ create: { key: '\0', end: '\0', start: 4 } });
    watcher.send({ created: true, revision: 10 });
    watcher.send({ revision: 10, events: [put('/b/1', 6), put('/a/1', 7)] });
    watcher.send({ revision: 10, events: [put('/b/2', 10)] });
    expect((await first).value).toMatchObject({ changes: [{ entry: { key: '/a/1' } }], revision: 7 });
    expect((await batches.next()).value).toEqual({ changes: [], revision: 10 });
  });

  it('watches its prefix if it may not read all keys', async () => {
    const first = watch('/a/', 11).next();
    const denied = await etcd.watcher();
    await denied.request();
    denied.send({ created: true, canceled: true, reason: 'etcdserver: permission denied', revision: 10 });
    const watcher = await etcd.watcher();
    expect(await watcher.request()).toMatchObject({ create: { key: '/a/', end: '/a0' } });
    watcher.send({ created: true, revision: 10 });
    expect((await first).value).toEqual({ changes: [], revision: 10 });
  });
});

describe('a watch', () => {
  async function caughtUp(from = 11) {
    const batches = watch('/a/', from);
    const first = batches.next();
    const watcher = await etcd.watcher();
    await watcher.request();
    watcher.send({ created: true, revision: 10 });
    await first;
    return { batches, watcher };
  }

  it('never splits a revision, even if etcd does', async () => {
    const { batches, watcher } = await caughtUp();
    watcher.send({ revision: 13, fragment: true, events: [put('/a/1', 11), put('/a/2', 12)] });
    watcher.send({ revision: 13, fragment: true, events: [put('/a/3', 12)] });
    watcher.send({ revision: 13, events: [put('/a/4', 12), put('/a/5', 13)] });
    expect(await keysOf(batches)).toEqual(['/a/1']);
    expect(await keysOf(batches)).toEqual(['/a/2', '/a/3', '/a/4', '/a/5']);
  });

  it('resumes after the last revision it has delivered', async () => {
    const { batches, watcher } = await caughtUp();
    watcher.send({ revision: 11, events: [put('/a/1', 11)] });
    expect(await keysOf(batches)).toEqual(['/a/1']);
    etcd.revision = 12;
    watcher.breakOff();
    const second = keysOf(batches);
    const again = await etcd.watcher();
    expect(await again.request()).toMatchObject({ create: { start: 11 } });
    again.send({ created: true, revision: 12 });
    again.send({ revision: 12, events: [put('/a/1', 11), put('/a/2', 12)] });
    expect(await second).toEqual(['/a/2']);
  });

  it('fails when delivered revisions no longer exist', async () => {
    const { batches, watcher } = await caughtUp();
    watcher.send({ revision: 11, events: [put('/a/1', 11)] });
    expect(await keysOf(batches)).toEqual(['/a/1']);
    etcd.revision = 7;
    watcher.breakOff();
    await expect(batches.next()).rejects.toEqual(new Compacted(8));
  });

  it('fails when its position is compacted', async () => {
    const first = watch('/a/', 5).next();
    const watcher = await etcd.watcher();
    watcher.send({ created: true, revision: 10 });
    watcher.send({ canceled: true, compacted: 8, revision: 10 });
    await expect(first).rejects.toEqual(new Compacted(9));
  });

  it('fails when the previous value of a change is compacted', async () => {
    const { batches, watcher } = await caughtUp();
    watcher.send({ revision: 11, events: [{ type: 'delete', key: '/a/1', revision: 11 }] });
    await expect(batches.next()).rejects.toThrow(Compacted);
  });

  it('ends when the store is closed', async () => {
    const { batches } = await caughtUp();
    const next = batches.next();
    await store.close();
    expect((await next).done).toBe(true);
  });
});

async function keysOf(batches: AsyncIterator<{ changes: readonly { entry: { key: string } }[] }>): Promise<string[]> {
  const { value } = await batches.next();
  return value.changes.map(({ entry }: { entry: { key: string } }) => entry.key);
}

interface FakeEvent {
  readonly type: 'put' | 'delete';
  readonly key: string;
  readonly revision: number;
}

interface FakeResponse {
  readonly revision: number;
  readonly watcher?: number;
  readonly created?: boolean;
  readonly canceled?: boolean;
  readonly compacted?: number;
  readonly reason?: string;
  readonly fragment?: boolean;
  readonly events?: readonly FakeEvent[];
}

function put(key: string, revision: number): FakeEvent {
  return { type: 'put', key, revision };
}

/** The part of etcd that watches use, controlled by the test. */
class FakeEtcd {
  version = '3.5.13';
  revision = 10;
  readonly #server: Http2Server;
  readonly #watchers: FakeWatcher[] = [];
  readonly #waiting: ((watcher: FakeWatcher) => void)[] = [];

  static async start(): Promise<FakeEtcd> {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return new FakeEtcd(server);
  }

  private constructor(server: Http2Server) {
    this.#server = server;
    server.on('stream', (stream, headers) => this.#answer(stream, String(headers[':path'])));
    server.on('session', (session) => this.#server.once('close', () => session.destroy()));
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The next watcher that is created. */
  async watcher(): Promise<FakeWatcher> {
    return this.#watchers.shift() ?? new Promise((resolve) => this.#waiting.push(resolve));
  }

  close(): void {
    this.#server.close();
  }

  #answer(stream: ServerHttp2Stream, path: string): void {
    stream.on('error', () => {});
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    if (path.endsWith('/Watch')) this.#accept(new FakeWatcher(stream));
    else if (path.endsWith('/Status')) stream.end(frameMessage(finish(write().uint32(bytesTag(2)).string(this.version))));
    else stream.end(frameMessage(finish(header(write(), this.revision))));
  }

  #accept(watcher: FakeWatcher): void {
    const waiting = this.#waiting.shift();
    if (waiting) waiting(watcher);
    else this.#watchers.push(watcher);
  }
}

class FakeWatcher {
  readonly #stream: ServerHttp2Stream;
  readonly #requests: AsyncGenerator<unknown>;

  constructor(stream: ServerHttp2Stream) {
    this.#stream = stream;
    this.#requests = requestsOf(stream);
  }

  async request(): Promise<unknown> {
    return (await this.#requests.next()).value;
  }

  send(response: FakeResponse): void {
    this.#stream.write(frameMessage(encodeResponse(response)));
  }

  breakOff(): void {
    this.#stream.session?.destroy();
  }
}

async function* requestsOf(stream: ServerHttp2Stream): AsyncGenerator<unknown> {
  const unframer = new Unframer();
  for await (const chunk of stream) for (const message of unframer.push(chunk)) yield decodeRequest(message);
}

function decodeRequest(message: Buffer): unknown {
  const reader = read(message);
  if (reader.uint32() === bytesTag(3)) return 'progress';
  const [, , key, , end, , start] = [
    reader.uint32(),
    reader.uint32(),
    reader.string(),
    reader.uint32(),
    reader.string(),
    reader.uint32(),
    reader.uint32(),
  ];
  return { create: { key, end, start } };
}

function encodeResponse(response: FakeResponse): Buffer {
  const writer = header(write(), response.revision)
    .uint32(varintTag(2))
    .int64(response.watcher ?? 0);
  if (response.created) writer.uint32(varintTag(3)).bool(true);
  if (response.canceled) writer.uint32(varintTag(4)).bool(true);
  if (response.compacted) writer.uint32(varintTag(5)).int64(response.compacted);
  if (response.reason) writer.uint32(bytesTag(6)).string(response.reason);
  if (response.fragment) writer.uint32(varintTag(7)).bool(true);
  for (const event of response.events ?? []) encodeEvent(writer.uint32(bytesTag(11)).fork(), event).ldelim();
  return finish(writer);
}

function encodeEvent(writer: MessageWriter, { type, key, revision }: FakeEvent): MessageWriter {
  writer.uint32(varintTag(1)).int32(type === 'delete' ? 1 : 0);
  const entry = writer.uint32(bytesTag(2)).fork().uint32(bytesTag(1)).string(key).uint32(varintTag(3)).int64(revision);
  if (type === 'put') entry.uint32(varintTag(2)).int64(revision);
  return entry.ldelim();
}

function header(writer: MessageWriter, revision: number): MessageWriter {
  return writer.uint32(bytesTag(1)).fork().uint32(varintTag(3)).int64(revision).ldelim();
}
