import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type ApiObject, Informer, KubeClient, type ResourceApi } from '@tsukube/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isLong } from '../support/progress.ts';
import { seeded } from '../support/random.ts';
import { launchServer, notBuilt, type ServerProcess } from '../support/server-process.ts';
import { portOf, startTcpProxy, type TcpProxy, throughPort } from '../support/tcp-proxy.ts';
import { Observations } from './observations.ts';
import { type WriteCounts, write } from './writers.ts';

/** `npm run test:client -- --minutes 10`; 20 seconds in `npm test`. */
const durationMs = Number(process.env.CLIENT_MINUTES ?? 1 / 3) * 60_000;
const seed = Number(process.env.CLIENT_SEED ?? 1);
/** The kubeconfig of another API server: connections are cut, but it is not restarted. */
const peer = process.env.CLIENT_PEER || undefined;
const writesPerSecond = 500;
/** Of the long form, over the whole run with its outages. */
const leastWritesPerSecond = 475;
const kinds = ['configmaps', 'secrets', 'serviceaccounts'] as const;
const allowedGrowthMiB = 8;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

let folder: string;
let server: ServerProcess | undefined;
let kubeconfig: string;
/** Of the informers: its connections are cut. */
let proxy: TcpProxy;
/** Of the writers. */
let calm: TcpProxy;

beforeAll(async () => {
  if (notBuilt && !peer) return;
  folder = mkdtempSync(join(tmpdir(), 'tsukube-client-soak-'));
  if (peer) kubeconfig = readFileSync(peer, 'utf8');
  else await startServer();
  proxy = await startTcpProxy(portOf(kubeconfig));
  calm = await startTcpProxy(portOf(kubeconfig));
});

afterAll(async () => {
  await proxy?.close();
  await calm?.close();
  await server?.kill();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

async function startServer(): Promise<void> {
  server = launchServer({ dataDir: join(folder, 'data'), quiet: true, args: ['--etcd-compaction-interval=5s'] });
  kubeconfig = await server.ready;
}

const faults = {
  cut: async () => proxy.cut(),
  silence: async () => proxy.silence(),
  outage: async (random: () => number) => {
    proxy.isDown = true;
    proxy.cut();
    await delay(random() * 3000);
    proxy.isDown = false;
  },
  restart: async () => {
    await server?.stop();
    await startServer();
    proxy.target = calm.target = portOf(kubeconfig);
  },
  kill: async () => {
    await server?.kill();
    await startServer();
    proxy.target = calm.target = portOf(kubeconfig);
  },
};

/** One fault after the other, with seconds of peace between them. */
async function disturb(random: () => number, end: number): Promise<string[]> {
  const names = Object.keys(faults).filter((name) => !peer || !['restart', 'kill'].includes(name)) as (keyof typeof faults)[];
  const done: string[] = [];
  for (;;) {
    await delay(1000 + random() * 3000);
    if (performance.now() > end) return done;
    const name = done.length < names.length ? names[done.length] : names[Math.floor(random() * names.length)];
    done.push(name as string);
    await faults[name as keyof typeof faults](random);
  }
}

const heapMiB = () => {
  collectGarbage();
  return process.memoryUsage().heapUsed / (1 << 20);
};

async function measure(end: number): Promise<number[]> {
  const samples: number[] = [];
  while (performance.now() < end) {
    await delay(Math.min(durationMs / 10, 30_000));
    samples.push(heapMiB());
    if (isLong) process.stdout.write(`heap ${samples.at(-1)?.toFixed(1)} MiB\n`);
  }
  return samples;
}

/** Keys and resourceVersions, as the server and the informer see them. */
async function listed(api: ResourceApi<ApiObject>): Promise<string[]> {
  const { items } = await api.listAll();
  return items.map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`).sort();
}

describe.skipIf(notBuilt && !peer)('informers of three kinds', () => {
  it(`see every event despite cut connections and restarts for ${durationMs / 1000} s`, {
    timeout: durationMs + 180_000,
  }, async () => {
    const pick = seeded(seed);
    const random = () => pick(1_000_000) / 1_000_000;
    const namespace = `soak-${process.pid}`;
    const options = { rateLimit: false, pingAfterMs: 1000, pingTimeoutMs: 1000 } as const;
    const client = await KubeClient.load({ kubeconfig: throughPort(kubeconfig, proxy.port), ...options });
    const writer = await KubeClient.load({ kubeconfig: throughPort(kubeconfig, calm.port), ...options });
    const names = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace }, spec: {} };
    await writer.resource('v1/namespaces').create(names);

    const stop = new AbortController();
    const watched = kinds.map((plural) => {
      const api = client.resource(`v1/${plural}`, { namespace }) as ResourceApi<ApiObject>;
      const failures = { count: 0 };
      const onError = () => failures.count++;
      const backoff = { initialMs: 100, maxMs: 2000 };
      const informer = new Informer(api, { silenceMs: 5_000, backoff, onError });
      const observations = new Observations();
      informer.addHandler(observations);
      return { api, informer, observations, failures, running: informer.run(stop.signal) };
    });
    await Promise.all(watched.map(({ informer }) => informer.synced()));

    const end = performance.now() + durationMs;
    const counts: WriteCounts = { written: 0, failed: 0 };
    const writing = watched.map(({ api }) =>
      write(api, writesPerSecond / kinds.length, random, () => performance.now() < end, counts),
    );
    const [done, samples] = await Promise.all([disturb(random, end), measure(end), ...writing]);

    for (const { api, informer, observations } of watched) {
      const expected = await listed(api);
      const seen = (objects: Iterable<ApiObject>) =>
        [...objects].map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`).sort();
      await expect.poll(() => seen(informer.store.values()), { timeout: 60_000 }).toEqual(expected);
      await expect.poll(() => seen(observations.objects()), { timeout: 10_000 }).toEqual(expected);
      expect(observations.mistakes).toEqual([]);
    }
    stop.abort();
    await Promise.all(watched.map(({ running }) => running));
    const events = watched.reduce((sum, { observations }) => sum + observations.count, 0);
    const reports = watched.reduce((sum, { failures }) => sum + failures.count, 0);
    const rate = Math.round(counts.written / (durationMs / 1000));
    console.log(
      `client soak: ${rate} writes/s, ${events} events, ${done.length} faults, ${reports} reported failures, seed ${seed}`,
    );
    expect(rate).toBeGreaterThan(isLong ? leastWritesPerSecond : 10);
    expect(reports).toBeGreaterThan(0);
    expect(done.length).toBeGreaterThan(2);
    // The first part of the run warms up.
    const [early, late] = [samples.slice(2, 5), samples.slice(-3)].map((some) => Math.min(...some));
    expect((late as number) - (early as number)).toBeLessThan(allowedGrowthMiB);
    await writer.resource('v1/namespaces').delete(namespace);
    client.close();
    writer.close();
  });
});
