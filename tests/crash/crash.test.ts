import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { seeded } from '../support/random.ts';
import { notBuilt } from '../support/server-process.ts';
import { problemsOf } from './check-history.ts';
import { Trial } from './trial.ts';

const kills = Number(process.env.CRASH_KILLS ?? 50);
const seed = Number(process.env.CRASH_SEED ?? 1);
/** Lives are measured in writes, so that a slow machine gets as much done in them as a fast one. */
const maxWrites = 300;
const maxOverrunMs = 10;
/** About as long as a start takes. */
const maxStartMs = 400;
const limitMs = 60_000 + kills * 4_000;

let folder: string;
let trial: Trial;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tsukube-crash-'));
});

afterEach(async () => {
  await trial.abandon();
  rmSync(folder, { recursive: true, force: true });
});

describe.skipIf(notBuilt)('a server that is killed again and again', () => {
  it(
    `keeps every promise through ${kills} deaths`,
    async () => {
      const random = seeded(seed);
      trial = new Trial(join(folder, 'data'), random);
      await trial.begin();
      for (let death = 2; death <= kills; death++) {
        if (death % 5 === 0) await trial.dieStarting(random(maxStartMs));
        else await trial.live(1 + random(maxWrites), random(maxOverrunMs));
      }
      const { replayed } = await trial.conclude();
      const [main, ...others] = trial.watches;
      expect(problemsOf(main?.events ?? [], trial.log)).toEqual([]);
      expect(replayed).toEqual(main?.events);
      for (const watch of others) expect(watch.events).toEqual(trial.expected(watch));
      expect(trial.log.count('acknowledged')).toBeGreaterThan(kills * 10);
      report(trial);
    },
    limitMs,
  );
});

function report({ log, watches, restartMs }: Trial): void {
  const sorted = [...restartMs].sort((a, b) => a - b);
  const at = (part: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] as number);
  const events = watches.reduce((sum, watch) => sum + watch.events.length, 0);
  const writes = `${log.count('acknowledged')} acknowledged writes, ${log.count('unknown')} of unknown fate, ${log.count('refused')} refused`;
  console.log(
    `crash: ${kills} kills, ${writes}, ${events} events checked, restart p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, seed ${seed}`,
  );
}
