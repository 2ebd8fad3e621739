import type { ClientHttp2Stream } from 'node:http2';
import { startServer } from '@tsukube/server';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Client, clientFor, type WatchStream } from '../support/client.ts';
import { configMap, newNamespace, own, useServer } from '../support/server.ts';
import { openSession } from './http2.ts';
import { openSocket } from './raw-http1.ts';

const t = useServer();
const mebibyte = 1 << 20;
const limitMs = 120_000;

/** A watch that is not read. */
interface StuckWatch {
  /** Reads until the server ends the watch. Returns the number of bytes. */
  readToEnd(): Promise<number>;
  close(): void;
}

type OpenStuck = (client: Client, path: string) => Promise<StuckWatch>;

const overHttp1: OpenStuck = async (client, path) => {
  const socket = await openSocket(client);
  socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
  socket.pause();
  return { readToEnd: () => bytesUntilClosed(socket), close: () => socket.destroy() };
};

const overHttp2: OpenStuck = async (client, path) => {
  const session = openSession(client);
  const stream = session.request({ ':path': path });
  stream.on('error', () => {});
  await new Promise((resolve) => stream.once('response', resolve));
  return { readToEnd: () => bytesUntilClosed(stream), close: () => session.destroy() };
};

function bytesUntilClosed(stream: NodeJS.ReadableStream): Promise<number> {
  return new Promise((resolve) => {
    let bytes = 0;
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    stream.on('close', () => resolve(bytes));
    stream.resume();
  });
}

/** Writes more than all buffers on the way can hold. */
async function writeLarge(client: Client, path: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const { status } = await client.send('POST', path, configMap(name, {}, { x: 'x'.repeat(900_000) }));
    expect(status).toBe(201);
  }
}

async function namesOf(watch: WatchStream, count: number): Promise<string[]> {
  const events = await watch.take(count, limitMs);
  return events.map((event) => event.object.metadata.name);
}

const names = (count: number) => Array.from({ length: count }, (_, i) => `c${i + 10}`);

describe('a watch that is never read', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each<[string, OpenStuck]>([
    ['HTTP/1.1', overHttp1],
    ['HTTP/2', overHttp2],
  ])('is closed, and the others get all events: %s', { timeout: limitMs }, async (_, open) => {
    // Fakes timers only; network I/O takes real time.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
    const path = await newNamespace(t.client);
    const healthy = await t.client.watch(`${path}?watch=1&${own}`);
    const stuck = await open(t.client, `${path}?watch=1`);
    await writeLarge(t.client, path, names(20));
    expect(await namesOf(healthy, 20)).toEqual(names(20));
    await vi.advanceTimersByTimeAsync(31_000);
    expect(await stuck.readToEnd()).toBeLessThan(20 * 900_000);
    await t.client.send('POST', path, configMap('after'));
    expect(await namesOf(healthy, 1)).toEqual(['after']);
    healthy.close();
    stuck.close();
  });

  it('does not delay shutdown', { timeout: limitMs }, async () => {
    const server = await startServer({ storage: 'memory', securePort: 0 });
    const client = clientFor(server.kubeconfig);
    const path = await newNamespace(client);
    const stuck = [await overHttp1(client, `${path}?watch=1`), await overHttp2(client, `${path}?watch=1`)];
    await writeLarge(client, path, names(20));
    const began = performance.now();
    await server.close();
    expect(performance.now() - began).toBeLessThan(20_000);
    for (const each of stuck) each.close();
    client.close();
  });
});

describe('watches that are never read', () => {
  it('use little memory, regardless of their number and format', { timeout: limitMs }, async () => {
    const path = await newNamespace(t.client);
    const { resourceVersion } = (await t.client.get(path)).body.metadata;
    await writeLarge(t.client, path, names(40));
    const before = process.memoryUsage().rss;
    const paths = [`${path}?watch=1`, `${path}?watch=1&resourceVersion=${resourceVersion}`];
    const stuck = await Promise.all(Array.from({ length: 60 }, (_, i) => overHttp1(t.client, paths[i % 2] as string)));
    const healthy = await t.client.watch(`${path}?watch=1&${own}`);
    expect(await namesOf(healthy, 40)).toEqual(names(40));
    // With a copy per watch it would be more than 2 GiB.
    expect((process.memoryUsage().rss - before) / mebibyte).toBeLessThan(700);
    for (const each of stuck) each.close();
    healthy.close();
  });
});

describe('a watch that is read slowly', () => {
  it('gets all events, and frees all memory when it has caught up', { timeout: limitMs }, async () => {
    const warnings: string[] = [];
    const onWarning = (warning: Error) => warnings.push(warning.name);
    process.on('warning', onWarning);
    const path = await newNamespace(t.client);
    const session = openSession(t.client);
    const slow = session.request({ ':path': `${path}?watch=1&${own}` });
    for (let round = 0; round < 15; round++) {
      const some = names(3).map((name) => `${name}-${round}`);
      slow.pause();
      await writeLarge(t.client, path, some);
      expect(await nextNames(slow, 3)).toEqual(some);
    }
    process.off('warning', onWarning);
    expect(warnings).not.toContain('MaxListenersExceededWarning');
    session.destroy();
  });

  async function nextNames(stream: ClientHttp2Stream, count: number): Promise<string[]> {
    const chunks: string[] = [];
    for (let ends = 0; ends < count; ends += (chunks.at(-1) as string).split('\n').length - 1)
      chunks.push(await nextChunk(stream));
    const lines = chunks.join('').trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line).object.metadata.name);
  }

  function nextChunk(stream: ClientHttp2Stream): Promise<string> {
    return new Promise((resolve) => {
      stream.once('data', (chunk: Buffer) => {
        stream.pause();
        resolve(String(chunk));
      });
      stream.resume();
    });
  }
});
