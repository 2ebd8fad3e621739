import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { Trial } from '../crash/trial.ts';
import { type Client, clientFor } from '../support/client.ts';
import { until } from '../support/definitions.ts';
import { isLong } from '../support/progress.ts';
import { seeded } from '../support/random.ts';
import { notBuilt, type ServerProcess } from '../support/server-process.ts';
import { isSkipped, limitMs, rounds, seed, tellRound } from './settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'tsukube-clock-'));
const movableClock = fileURLToPath(new URL('movable-clock.cjs', import.meta.url));
const hourMs = 3_600_000;
/** In hours. Never before the start, because certificates are not valid then. Each round starts at the real time. */
const jumps = isLong ? [12, -6, 5, -11, 24 * 30, -24 * 30, 1, -1] : [12, -6, -6];
let trial: Trial;

afterEach(async () => {
  await trial.abandon();
  rmSync(folder, { recursive: true, force: true });
});

const core = '/api/v1/namespaces/default';

async function newToken(client: Client): Promise<string> {
  const { body } = await client.send('POST', `${core}/serviceaccounts/default/token`, { spec: { expirationSeconds: 600 } });
  return body.status.token;
}

async function isAuthenticated(client: Client, token: string): Promise<boolean> {
  const review = await client.send('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token } });
  expect(review.status).toBe(201);
  return review.body.status.authenticated === true;
}

/** Events with a TTL of two seconds expire, regardless of the clock. */
async function checkExpiry(client: Client): Promise<void> {
  const involvedObject = { kind: 'ConfigMap', name: 'x', namespace: 'default' };
  const { body, status } = await client.send('POST', `${core}/events`, { metadata: { generateName: 'e-' }, involvedObject });
  expect(status).toBe(201);
  await until(async () => (await client.get(`${core}/events/${body.metadata.name}`)).status === 404, 15_000);
}

/** Compaction depends on intervals, not on the wall clock: older revisions are compacted. */
async function checkCompaction(client: Client): Promise<void> {
  const { resourceVersion } = (await client.get(`${core}/configmaps`)).body.metadata;
  const old = () => client.get(`${core}/configmaps?resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`);
  await client.send('POST', `${core}/configmaps`, { metadata: { generateName: 'c-' } });
  await until(async () => (await old()).status === 410, 15_000);
}

/** No duration measured across a jump is negative. */
async function checkMetrics(client: Client): Promise<void> {
  const { text } = await client.get('/metrics');
  const durations = text.split('\n').filter((line) => /^[a-z_]+_seconds(_sum|_total)?(\{.*\})? /.test(line));
  expect(durations.length).toBeGreaterThan(20);
  expect(durations.filter((line) => Number(line.split(' ').at(-1)) < 0)).toEqual([]);
}

/** CPU time of a process, in milliseconds. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** A timer that is late by hours must not fire in a busy loop. */
async function checkIdle({ pid }: ServerProcess): Promise<void> {
  const before = cpuMs(pid);
  await pause(1_000);
  expect(cpuMs(pid) - before).toBeLessThan(600);
}

/** Waits until the server has published its endpoints and Lease. */
async function becomesReady(client: Client): Promise<void> {
  const failed = async () => (await client.get('/readyz')).text.split('\n').filter((line) => line.startsWith('[-]'));
  await expect.poll(failed, { timeout: 15_000 }).toEqual([]);
}

async function jumpAbout(server: ServerProcess): Promise<void> {
  const client = clientFor(await server.ready);
  await becomesReady(client);
  for (const hours of jumps) {
    const token = await newToken(client);
    expect(await isAuthenticated(client, token)).toBe(true);
    await server.ask('jump', hours * hourMs);
    if (hours > 0) expect(await isAuthenticated(client, token)).toBe(false);
    expect(await isAuthenticated(client, await newToken(client))).toBe(true);
    await becomesReady(client);
    await Promise.all([checkExpiry(client), checkCompaction(client)]);
    await checkMetrics(client);
  }
  client.close();
}

describe.skipIf(notBuilt || isSkipped('clock'))('a server whose clock jumps by hours', () => {
  it('keeps expiring, compacting and serving', { timeout: limitMs }, async () => {
    const random = seeded(seed);
    const args = ['--event-ttl=2s', '--etcd-compaction-interval=500ms'];
    // Compaction removes the history that the final replay needs; the other fault tests check it.
    trial = new Trial(join(folder, 'data'), random, { args, nodeArgs: ['--require', movableClock] });
    for (let round = 1; round <= rounds; round++) {
      const server = trial.launch();
      await jumpAbout(server);
      if (process.platform === 'linux') await checkIdle(server);
      expect(await server.stop()).toBe(0);
      tellRound('clock', round, `${jumps.length} jumps`);
    }
    const log = readFileSync(join(folder, 'data', 'logs', 'tsukube.log'), 'utf8');
    expect(log.split('\n').filter((line) => /^\S+ error /.test(line))).toEqual([]);
  });
});
