import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DatabaseKind, databaseMissing, type RunningDatabase, startDatabase } from '../support/databases.ts';
import { etcdMissing, type RunningEtcd, startEtcd } from '../support/etcd.ts';
import { isLong, showProgress } from '../support/progress.ts';
import { type Random, seeded } from '../support/random.ts';
import { notBuilt } from '../support/server-process.ts';
import { type Backend, Trial } from './trial.ts';

const kills = Number(process.env.CRASH_KILLS ?? 30);
const storage = process.env.CRASH_STORAGE ?? 'lmdb';
const seed = Number(process.env.CRASH_SEED ?? 1);
/** The server is killed after a number of writes, not after a time, so that slow machines do the same work. */
const maxWrites = 300;
const maxOverrunMs = 10;
/** About the duration of a start. */
const maxStartMs = 400;
const limitMs = 60_000 + kills * 4_000;

/** The longest outage of an external store. */
const maxOutageMs = isLong ? 1_500 : 300;

let folder: string;
let trial: Trial;
/** A store that is killed too. */
let external: RunningEtcd | RunningDatabase | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tsukube-crash-'));
});

afterEach(async () => {
  await trial.abandon();
  await external?.stop();
  external = undefined;
  rmSync(folder, { recursive: true, force: true });
});

/** Kills server and store in a different way each time. */
function kill(round: number, random: Random): Promise<void> {
  if (round % 5 === 0) return trial.killWhileStarting(random(maxStartMs));
  if (external && round % 5 === 1) return trial.runThroughOutage(1 + random(maxWrites), random(maxOutageMs));
  if (external && round % 5 === 2) return trial.killTogether(1 + random(maxWrites));
  return trial.runAndKill(1 + random(maxWrites), random(maxOverrunMs));
}

async function killRepeatedly(times: number, backend: Backend, name: string): Promise<void> {
  const random = seeded(seed);
  trial = new Trial(join(folder, 'data'), random, backend);
  await trial.begin();
  let round = 1;
  const stopProgress = showProgress(() => `${round} of ${times} kills, ${summaryOf(trial)}`);
  try {
    for (round = 2; round <= times; round++) await kill(round, random);
    await trial.concludeAndCheck();
    expect(trial.log.count('acknowledged')).toBeGreaterThan(times * 10);
    console.log(`crash (${name}): ${times} kills, ${summaryOf(trial)}, ${restartsOf(trial)}, seed ${seed}`);
  } finally {
    stopProgress();
  }
}

describe.skipIf(notBuilt || storage !== 'lmdb')('a server that is killed repeatedly', () => {
  it(`loses no acknowledged write and no event in ${kills} kills`, { timeout: limitMs }, () =>
    killRepeatedly(kills, { args: [] }, 'lmdb'),
  );
});

/** Few kills in `npm test`, because external stores start slowly. */
const externalKills = isLong ? kills : 6;
/** Even fewer where a restart of the database takes a recovery. */
const sqlKills = isLong ? kills : 4;

describe.skipIf(notBuilt || etcdMissing || (isLong && storage !== 'etcd'))(
  'a server on etcd, where server and etcd are killed',
  () => {
    it(`loses no acknowledged write and no event in ${externalKills} kills`, { timeout: limitMs }, async () => {
      const etcd = await startEtcd();
      external = etcd;
      const { kill, start, endpoint } = etcd;
      await killRepeatedly(externalKills, { args: [`--etcd-servers=${endpoint}`], process: { kill, start } }, 'etcd');
    });
  },
);

for (const kind of ['postgres', 'mysql'] as const satisfies DatabaseKind[]) {
  describe.skipIf(notBuilt || databaseMissing[kind] || (isLong && storage !== kind))(
    `a server on ${kind}, where server and database are killed`,
    () => {
      it(`loses no acknowledged write and no event in ${sqlKills} kills`, { timeout: limitMs }, async () => {
        const database = await startDatabase(kind);
        external = database;
        const process = { kill: () => database.kill(), start: () => database.start() };
        await killRepeatedly(sqlKills, { args: [`--storage=${kind}`, `--storage-dsn=${database.dsn}`], process }, kind);
      });
    },
  );
}

function summaryOf({ log, watches }: Trial): string {
  const events = watches.reduce((sum, watch) => sum + watch.events.length, 0);
  const outcomes = `${log.count('acknowledged')} acknowledged writes, ${log.count('unknown')} of unknown fate, ${log.count('refused')} refused`;
  return `${outcomes}, ${events} events`;
}

function restartsOf({ restartMs }: Trial): string {
  const sorted = [...restartMs].sort((a, b) => a - b);
  const at = (part: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] as number);
  return `restart p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`;
}
