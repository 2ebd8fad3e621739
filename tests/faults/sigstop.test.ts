import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { Trial } from '../crash/trial.ts';
import { clientFor } from '../support/client.ts';
import { isLong } from '../support/progress.ts';
import { seeded } from '../support/random.ts';
import { notBuilt, type ServerProcess } from '../support/server-process.ts';
import { isSkipped, limitMs, rounds, seed, tellRound } from './settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'tsukube-sigstop-'));
const stopMs = isLong ? 5_000 : 1_500;
let trial: Trial;

afterEach(async () => {
  await trial.abandon();
  rmSync(folder, { recursive: true, force: true });
});

/** Suspends the process for `ms`. Requests sent meanwhile are answered afterwards, or time out. */
async function stopAndGoOn({ pid, ready }: ServerProcess, ms: number): Promise<void> {
  const client = clientFor(await ready);
  const leases = '/apis/coordination.k8s.io/v1/namespaces/crash/leases';
  const lease = (timeout: string) =>
    client.send('POST', `${leases}?timeout=${timeout}`, { metadata: { generateName: 'l-' }, spec: {} });
  await client.get('/version');
  process.kill(pid, 'SIGSTOP');
  const asked = [lease('500ms'), lease('30s'), client.get('/readyz')];
  await pause(ms);
  process.kill(pid, 'SIGCONT');
  const [hurried, patient, ready2] = await Promise.all(asked);
  expect([201, 504]).toContain(hurried?.status);
  expect(patient?.status).toBe(201);
  expect(ready2?.text).toBe('ok');
  client.close();
}

describe.skipIf(notBuilt || isSkipped('sigstop'))('a server that is suspended with SIGSTOP', () => {
  it('loses no write and no event', { timeout: limitMs }, async () => {
    const random = seeded(seed);
    trial = new Trial(join(folder, 'data'), random, { args: [], failsAtTimes: true });
    await trial.begin();
    for (let round = 1; round <= rounds; round++) {
      await trial.runThrough(100 + random(100), (server) => stopAndGoOn(server, 500 + random(stopMs)));
      tellRound('sigstop', round, `${trial.log.count('acknowledged')} acknowledged writes`);
    }
    await trial.concludeAndCheck();
    expect(trial.log.count('acknowledged')).toBeGreaterThan(rounds * 100);
  });
});
