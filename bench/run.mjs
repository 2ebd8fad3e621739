import { formatValue } from './report/format.mjs';
import { measureStart, startRows } from './rows/process.mjs';
import { isSelected } from './rows/row.mjs';
import { whileStopped } from './servers/processes.mjs';

/**
 * Order of measurement: row by row, each contender in turn. The first contender alternates between rounds, so that other load
 * on the machine affects both.
 *
 * @typedef {import('./rows/row.mjs').Row} Row
 * @typedef {import('./rows/row.mjs').Step} Step
 * @typedef {import('./rows/row.mjs').Sample} Sample
 * @typedef {import('./servers/launcher.mjs').Contender} Contender
 * @typedef {import('./servers/launcher.mjs').Launcher} Launcher
 *
 * @typedef {object} Run
 * @property {import('./recorder.mjs').Recorder} recorder
 * @property {readonly string[]} only
 * @property {number} rounds
 * @property {number} deadline  on the clock of performance.now(); no round starts that could not end before it
 * @property {(line: string) => void} log
 */

/** @template T @param {readonly T[]} contenders @param {number} round */
function inTurn(contenders, round) {
  return round % 2 === 0 ? contenders : [...contenders].reverse();
}

/** @param {Run} run @param {(round: number) => Promise<void>} measureRound */
async function forEachRound(run, measureRound) {
  for (let round = 0; round < run.rounds; round++) {
    const begun = performance.now();
    await measureRound(round);
    const lasted = performance.now() - begun;
    if (round + 1 < run.rounds && performance.now() + lasted > run.deadline) {
      run.log(`time is up: ${round + 1} of ${run.rounds} rounds`);
      return;
    }
  }
}

/** @param {Run} run @param {readonly Row[]} rows @param {Contender} contender @param {Record<string, Sample | undefined>} samples @param {number} round */
function keep(run, rows, contender, samples, round) {
  for (const row of rows) {
    const sample = samples[row.id];
    if (!sample || !isSelected(row.id, run.only)) continue;
    run.recorder.add(row, contender.label, sample);
    const failures = sample.failures ? `, ${sample.failures} failed: ${sample.failureSamples?.join('; ')}` : '';
    run.log(`round ${round + 1}  ${row.title}  ${contender.label}  ${formatValue(row.unit, sample.value)}${failures}`);
  }
}

/** @param {Run} run @param {Step} step @param {Contender} contender @param {number} round */
async function measureStep(run, step, contender, round) {
  try {
    keep(run, step.rows, contender, await step.measure(contender, round), round);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    run.log(`round ${round + 1}  ${step.rows[0].title}  ${contender.label}  failed: ${message}`);
    for (const row of step.rows)
      run.recorder.add(row, contender.label, { value: Number.NaN, failures: 1, failureSamples: [message] });
  }
}

/** @param {Run} run @param {readonly Launcher[]} launchers @param {number} settleMs @returns {Promise<Contender[]>} all running */
export async function bringUp(run, launchers, settleMs) {
  const wanted = startRows.some((row) => isSelected(row.id, run.only));
  /** @type {Map<Launcher, Contender>} */
  const contenders = new Map();
  if (!wanted) for (const launcher of launchers) contenders.set(launcher, (await launcher.start()).contender);
  else
    await forEachRound(run, async (round) => {
      for (const launcher of inTurn(launchers, round)) {
        const { contender, samples } = await measureStart(launcher, settleMs);
        keep(run, startRows, contender, samples, round);
        contenders.set(launcher, contender);
      }
    });
  return launchers.flatMap((launcher) => contenders.get(launcher) ?? []);
}

/** @param {Run} run @param {readonly Step[]} steps @param {readonly Contender[]} contenders */
export async function measureAll(run, steps, contenders) {
  const selected = steps.filter((step) => step.rows.some((row) => isSelected(row.id, run.only)));
  if (selected.length === 0) return;
  await forEachRound(run, async (round) => {
    for (const step of selected)
      for (const contender of inTurn(contenders, round)) {
        const others = contenders.filter((other) => other !== contender).flatMap(({ pids }) => pids);
        await whileStopped(others, () => measureStep(run, step, contender, round));
      }
  });
}
