import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningServer, startServer } from '@tsukube/server';
import { openLmdb } from '@tsukube/storage/lmdb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, clientFor } from '../support/client.ts';
import { openSession } from './http2.ts';
import { openSocket } from './raw-http1.ts';

const count = 20_000;
const path = '/api/v1/namespaces/default/configmaps';
const mebibyte = 1 << 20;
const table = 'application/json;as=Table;g=meta.k8s.io;v=v1';
const limitMs = 120_000;

let folder: string;
let server: RunningServer;
let client: Client;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tsukube-lists-'));
  await fill(join(folder, 'data'));
  server = await startServer({ dataDir: folder, securePort: 0 });
  client = clientFor(server.kubeconfig);
}, limitMs);

afterAll(async () => {
  client.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Writes to the store directly: over HTTP it would take longer than the tests. */
async function fill(path: string): Promise<void> {
  const store = await openLmdb({ path });
  const padding = 'x'.repeat(900);
  for (let from = 0; from < count; from += 500) {
    const names = Array.from({ length: 500 }, (_, i) => `c${from + i}`);
    await Promise.all(names.map((name) => store.create(`/registry/configmaps/default/${name}`, stored(name, padding))));
  }
  await store.close();
}

function stored(name: string, padding: string): Buffer {
  const metadata = { name, namespace: 'default', uid: randomUUID(), creationTimestamp: '2026-01-01T00:00:00Z' };
  return Buffer.from(JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', metadata, data: { padding } }));
}

async function expectServing(): Promise<void> {
  const { status, body } = await client.get(`${path}?limit=1`);
  expect([status, body.items.length]).toEqual([200, 1]);
}

const lists: readonly (readonly [string, string])[] = [
  ['as JSON', 'application/json'],
  ['as a table', table],
  ['as metadata', 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'],
  ['as YAML', 'application/yaml'],
];

describe('a list of 20,000 objects', () => {
  it('is complete', { timeout: limitMs }, async () => {
    const { body } = await client.get(path);
    const names = body.items.map((item: { metadata: { name: string } }) => item.metadata.name);
    expect(new Set(names.filter((name: string) => /^c\d+$/.test(name))).size).toBe(count);
  });

  it.each([
    ['as YAML', { accept: 'application/yaml' }],
    ['as compressed YAML', { accept: 'application/yaml', 'accept-encoding': 'gzip' }],
    ['indented', { 'user-agent': 'curl/8' }],
    ['as an indented table', { accept: table, 'user-agent': 'curl/8' }],
  ])('%s does not block others', { timeout: limitMs }, async (_, headers) => {
    const pause = await longestPause(async () => expect((await client.get(`${path}?limit=8000`, headers)).status).toBe(200));
    expect(pause).toBeLessThan(1000);
  });

  /** The longest time that the event loop was blocked. */
  async function longestPause(during: () => Promise<unknown>): Promise<number> {
    let longest = 0;
    let last = performance.now();
    const tick = () => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    };
    const timer = setInterval(tick, 10);
    await during();
    tick();
    clearInterval(timer);
    return longest;
  }

  it.each(lists.slice(0, 3))('%s can be aborted by the client, over HTTP/1.1', { timeout: limitMs }, async (_, accept) => {
    for (let i = 0; i < 5; i++) {
      const socket = await openSocket(client);
      socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\naccept: ${accept}\r\n\r\n`);
      await new Promise((resolve) => socket.once('data', resolve));
      socket.destroy();
    }
    await expectServing();
  });

  it.each(lists.slice(0, 3))('%s can be aborted by the client, over HTTP/2', { timeout: limitMs }, async (_, accept) => {
    const session = openSession(client);
    for (let i = 0; i < 5; i++) {
      const stream = session.request({ ':path': path, accept });
      await new Promise((resolve) => stream.once('data', resolve));
      stream.close();
      await new Promise((resolve) => stream.once('close', resolve));
    }
    session.close();
    await expectServing();
  });

  it('can be aborted before the response', { timeout: limitMs }, async () => {
    for (const [, accept] of lists) {
      const socket = await openSocket(client);
      socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\naccept: ${accept}\r\naccept-encoding: gzip\r\n\r\n`);
      await new Promise((resolve) => setTimeout(resolve, 20));
      socket.destroy();
    }
    await expectServing();
  });

  it('uses little memory while it is not read', { timeout: limitMs }, async () => {
    const sockets = await Promise.all(Array.from({ length: 60 }, () => openSocket(client)));
    const before = process.memoryUsage().rss;
    for (const socket of sockets) {
      socket.pause();
      socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    }
    for (let i = 0; i < 20; i++) await expectServing();
    // With a copy per client it would be more than 1 GiB.
    expect((process.memoryUsage().rss - before) / mebibyte).toBeLessThan(600);
    for (const socket of sockets) socket.destroy();
  });
});
