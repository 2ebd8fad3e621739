import { setTimeout as sleep } from 'node:timers/promises';
import { residentMiB } from '../servers/processes.mjs';
import { listCollection } from './lists.mjs';
import { shortCount } from './row.mjs';

/**
 * Rows about the server process.
 * @typedef {import('./row.mjs').Row} Row
 * @typedef {import('./row.mjs').Step} Step
 * @typedef {import('./row.mjs').Sample} Sample
 * @typedef {import('../servers/launcher.mjs').Contender} Contender
 * @typedef {import('../servers/launcher.mjs').Launcher} Launcher
 * @typedef {import('./objects.mjs').Bench} Bench
 */

const group = 'Process';
/** With fewer objects mainly the process itself is measured. */
const goalFrom = 100_000;
/** @type {Row} */
const start = { id: 'start', title: 'start to ready, from nothing', group, unit: 'milliseconds', goal: { ratio: 8 } };
/** @type {Row} */
const restart = { id: 'restart', title: 'start to ready, on existing data', group, unit: 'milliseconds' };
/** @type {Row} */
const idle = { id: 'memory-idle', title: 'memory, idle', group, unit: 'mebibytes', goal: { ratio: 3 } };

export const startRows = [start, restart, idle];

/** @param {Contender} contender @param {number} settleMs @returns {Promise<Sample | undefined>} */
async function memorySample(contender, settleMs) {
  if (contender.pids.length === 0) return undefined;
  await sleep(settleMs);
  const value = residentMiB(contender.pids);
  return value === undefined ? undefined : { value };
}

/** @param {number | undefined} readyMs @returns {Sample | undefined} */
function readySample(readyMs) {
  return readyMs === undefined ? undefined : { value: readyMs };
}

/**
 * Starts a server, measures the start, and leaves it running.
 * @param {Launcher} launcher @param {number} settleMs
 * @returns {Promise<{ contender: Contender, samples: Record<string, Sample | undefined> }>}
 */
export async function measureStart(launcher, settleMs) {
  const first = await launcher.start();
  const memory = await memorySample(first.contender, settleMs);
  const second = await launcher.restart?.();
  const samples = {
    [start.id]: readySample(first.readyMs),
    [restart.id]: readySample(second?.readyMs),
    [idle.id]: memory,
  };
  return { contender: second?.contender ?? first.contender, samples };
}

/** @param {Bench} bench @returns {Step} */
export function loadedMemoryStep(bench) {
  const size = Math.max(...bench.plan.listSizes);
  const id = `memory-${shortCount(size)}`;
  const goal = size >= goalFrom ? { ratio: 4 } : undefined;
  return {
    rows: [{ id, title: `memory, ${shortCount(size)} objects`, group, unit: 'mebibytes', goal }],
    measure: async (contender) => {
      await listCollection(bench, contender, size);
      const sample = await memorySample(contender, bench.plan.loadedSettleMs);
      return sample ? { [id]: sample } : {};
    },
  };
}
