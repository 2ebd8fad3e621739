import { setMaxListeners } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientFor } from '../support/client.ts';
import { isLong } from '../support/progress.ts';
import { seeded } from '../support/random.ts';
import { launchServer, notBuilt, type ServerProcess } from '../support/server-process.ts';
import { describeTrend, type Sample, sampleOf, tableHead, tableRow, trendsOf } from './measurements.ts';
import { programs } from './programs.ts';
import { Surroundings } from './surroundings.ts';
import { objectsListed, prepare, workloads } from './workloads.ts';

/** `npm run test:soak -- --minutes 60`; some seconds in `npm test`, too short to measure a slope. */
const minutes = Number(process.env.SOAK_MINUTES ?? 0.1);
const seed = Number(process.env.SOAK_SEED ?? 1);
const durationMs = minutes * 60_000;
const sampleMs = isLong ? 60_000 : 1_500;
/** More than a burst needs, and far less than a leak in an hour. */
const heapCeiling = 200;
const probe = fileURLToPath(new URL('../support/memory-probe.cjs', import.meta.url));
const flags = isLong ? ['--event-ttl=2m', '--etcd-compaction-interval=1m'] : ['--event-ttl=2s', '--etcd-compaction-interval=1s'];

let folder: string;
let dataDir: string;
let server: ServerProcess;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tsukube-soak-'));
  dataDir = join(folder, 'data');
  server = launchServer({ dataDir, args: flags, nodeArgs: ['--require', probe], ipc: true, quiet: true });
});

afterAll(async () => {
  await server.kill();
  rmSync(folder, { recursive: true, force: true });
});

/** Samples until the end of the run; a long run prints each as a row of a table. */
async function measure(s: Surroundings): Promise<Sample[]> {
  const samples: Sample[] = [];
  const began = performance.now();
  if (isLong) process.stdout.write(`${tableHead}\n`);
  for (let next = sampleMs; next <= durationMs; next += sampleMs) {
    await s.pause(began + next - performance.now());
    const memory = await server.ask<NodeJS.MemoryUsage>('memory');
    const sample = sampleOf(performance.now() - began, memory, dataDir);
    samples.push(sample);
    const { requests, events, errors } = s.counts;
    if (isLong) process.stdout.write(`${tableRow(sample, { requests, events, errors: errors.length })}\n`);
  }
  return samples;
}

/** Error lines of the server's log. */
function failuresInLog(): string[] {
  const log = readFileSync(join(dataDir, 'logs', 'tsukube.log'), 'utf8');
  return log.split('\n').filter((line) => /"level":"error"|^\S+ error /.test(line));
}

describe.skipIf(notBuilt)('a server under mixed clients', () => {
  it(`has stable memory and file size for ${minutes} minutes`, { timeout: durationMs + 900_000 }, async () => {
    const kubeconfig = await server.ready;
    const client = clientFor(kubeconfig);
    const end = new AbortController();
    setMaxListeners(0, end.signal);
    const s = new Surroundings(client, kubeconfig, seeded(seed), end.signal);
    await prepare(s, isLong ? objectsListed : objectsListed / 10);
    const all = [...workloads, ...(isLong ? programs(folder, kubeconfig) : [])];
    const running = Promise.all(all.map((workload) => s.run(workload)));
    const samples = await measure(s);
    end.abort();
    s.close();
    client.close();
    await running;
    const trends = trendsOf(samples);
    console.log(`soak: ${minutes} minutes, ${s.counts.requests} requests, ${s.counts.events} events, seed ${seed}`);
    if (isLong) for (const trend of trends) console.log(describeTrend(trend));
    expect(s.counts.errors).toEqual([]);
    expect(failuresInLog()).toEqual([]);
    expect(samples.length).toBeGreaterThan(1);
    expect(Math.max(...samples.map(({ heap }) => heap))).toBeLessThan(heapCeiling);
    if (minutes >= 10) expect(trends.filter(({ isFlat }) => !isFlat).map(describeTrend)).toEqual([]);
    expect(await server.stop()).toBe(0);
  });
});
