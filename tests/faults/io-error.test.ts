import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type RunningServer, startServer } from '@tsukube/server';
import { openLmdb } from '@tsukube/storage/lmdb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemsOf, stateAfter } from '../crash/check-history.ts';
import { ResumingWatch } from '../crash/resuming-watch.ts';
import { http2Wire, type Wire } from '../crash/wire.ts';
import { WriteLog } from '../crash/write-log.ts';
import { Writer } from '../crash/writer.ts';
import { type Client, clientFor } from '../support/client.ts';
import { seeded } from '../support/random.ts';
import { own } from '../support/server.ts';
import { sourceWorkerFile } from '../support/worker-file.ts';
import { type CommitFault, type FaultyLmdb, faultyLmdb } from './faulty-lmdb.ts';
import { isSkipped, limitMs, rounds, seed, tellRound } from './settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'tsukube-io-'));
const database = join(folder, 'database');
const configMaps = '/api/v1/namespaces/default/configmaps';
const writers = 8;
const faultMs = 300;

let lmdb: FaultyLmdb;
let server: RunningServer;
let client: Client;

beforeAll(async () => {
  if (isSkipped('io-error')) return;
  lmdb = faultyLmdb(database);
  const offload = { workerFile: sourceWorkerFile };
  server = await startServer({ dataDir: join(folder, 'data'), securePort: 0, offload, openStore: () => lmdb.open() });
  client = clientFor(server.kubeconfig);
});

afterAll(async () => {
  client?.close();
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** While commits fail, writes get a retryable error, reads continue, and /readyz fails. */
async function failFor(fault: CommitFault): Promise<void> {
  const failed = lmdb.failed;
  lmdb.fault = fault;
  await expect.poll(() => lmdb.failed, { timeout: 10_000 }).toBeGreaterThan(failed);
  const { status, body } = await client.send('POST', configMaps, { metadata: { generateName: 'never-' } });
  expect({ status, reason: body.reason }).toEqual({ status: 503, reason: 'ServiceUnavailable' });
  expect((await client.get(configMaps)).status).toBe(200);
  expect((await client.get('/readyz')).status).toBe(500);
  await pause(faultMs);
  lmdb.fault = undefined;
  await expect.poll(async () => (await client.get('/readyz')).text, { timeout: 20_000 }).toBe('ok');
}

/** Starts writers with separate objects; they run until the wire is closed. */
function startWriters(wire: Wire, log: WriteLog): Promise<unknown> {
  const random = seeded(seed);
  const each = Array.from({ length: writers }, (_, i) => {
    const names = [`own-${i}-0`, `own-${i}-1`];
    return new Writer({ path: configMaps, log, random, names, shared: false, outages: true });
  });
  return Promise.all(each.map((writer) => writer.run(wire)));
}

describe.skipIf(isSkipped('io-error'))('a server with I/O errors', () => {
  it('loses no acknowledged write, and recovers without a restart', { timeout: limitMs }, async () => {
    await expect.poll(async () => (await client.get('/readyz')).text, { timeout: 20_000 }).toBe('ok');
    const log = new WriteLog();
    const wire = http2Wire(client);
    const from = Number((await client.get(configMaps)).body.metadata.resourceVersion);
    const watch = new ResumingWatch(configMaps, `&${own}`, from, (version) => log.saw(version));
    const following = watch.follow(wire);
    const writing = startWriters(wire, log);
    for (let round = 1; round <= rounds; round++) {
      await log.acknowledged(50);
      await failFor(round % 2 === 0 ? 'write' : 'flush');
      await log.acknowledged(50);
      tellRound('io-error', round, `${log.count('acknowledged')} acknowledged writes, ${log.count('refused')} refused`);
    }
    const listed = await settled(watch, () => wire.close());
    await Promise.all([writing, following]);
    expect(problemsOf(watch.events, log)).toEqual([]);
    expect([...stateAfter(watch.events).keys()].sort()).toEqual(listed);
    expect(log.count('refused')).toBeGreaterThan(0);
    await server.close();
    expect(await storedNames()).toEqual(listed);
  });
});

/** Stops the writers, and waits until the watch has seen their last state. */
async function settled(watch: ResumingWatch, endWriters: () => void): Promise<string[]> {
  endWriters();
  await pause(200);
  const { items, metadata } = (await client.get(`${configMaps}?${own}`)).body;
  const rest = http2Wire(client);
  const following = watch.follow(rest);
  const newest = Math.max(
    ...items.map((item: { metadata: { resourceVersion: string } }) => Number(item.metadata.resourceVersion)),
  );
  await expect.poll(() => watch.events.at(-1)?.version ?? 0, { timeout: 10_000 }).toBeGreaterThanOrEqual(newest);
  await pause(100);
  rest.close();
  await following;
  expect(Number(metadata.resourceVersion)).toBeGreaterThanOrEqual(newest);
  return items.map((item: { metadata: { name: string } }) => item.metadata.name).sort();
}

/** The names of the objects in the database file. */
async function storedNames(): Promise<string[]> {
  const store = await openLmdb({ path: database });
  const { entries } = await store.list('/registry/configmaps/default/own-');
  await store.close();
  return entries.map(({ key }) => key.split('/').at(-1) as string).sort();
}
