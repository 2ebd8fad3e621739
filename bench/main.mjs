import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { DriverPool } from './driver/pool.mjs';
import { commandLine, help, parseOptions } from './options.mjs';
import { makePlan } from './plan.mjs';
import { Recorder } from './recorder.mjs';
import { describeMachine } from './report/machine.mjs';
import { toMarkdown } from './report/markdown.mjs';
import { checkPublishable, publish } from './report/publish.mjs';
import { writeJson } from './report/report.mjs';
import { summarize } from './report/summary.mjs';
import { accessSteps } from './rows/access.mjs';
import { admissionSteps } from './rows/admission.mjs';
import { aggregationSteps } from './rows/aggregation.mjs';
import { controllerSteps, idleStep } from './rows/controllers.mjs';
import { definitionsStep } from './rows/crds.mjs';
import { Fixtures } from './rows/fixtures.mjs';
import { kindSteps } from './rows/kinds.mjs';
import { listSteps } from './rows/lists.mjs';
import { objectSteps } from './rows/objects.mjs';
import { overloadStep } from './rows/overload.mjs';
import { loadedMemoryStep } from './rows/process.mjs';
import { watchSteps } from './rows/watches.mjs';
import { bringUp, measureAll } from './run.mjs';
import { readVersion } from './servers/api.mjs';
import { launchByCommand } from './servers/launch-by-command.mjs';
import { launchTsukube } from './servers/launch-tsukube.mjs';
import { useRunning } from './servers/launcher.mjs';

/**
 * @typedef {import('./options.mjs').Options} Options
 * @typedef {import('./servers/launcher.mjs').Launcher} Launcher
 * @typedef {import('./servers/launcher.mjs').Contender} Contender
 * @typedef {import('./report/report.mjs').Report} Report
 */

/** Fraction of the budget that may be used after each part, so that the rest suffices for the following parts. */
const budgetShares = { start: 0.15, requests: 0.6 };

/** @param {Options} options @returns {Launcher[]} */
function createLaunchers({ kubeconfig, pids, storage, peer, peerStart, peerStop, peerPids }) {
  const own = kubeconfig ? useRunning('tsukube', kubeconfig, pids) : launchTsukube(storage);
  if (!peer) return [own];
  const other = peerStart
    ? launchByCommand({ kubeconfig: peer, startCommand: peerStart, stopCommand: peerStop, pids: peerPids })
    : useRunning('peer', peer, peerPids);
  return [own, other];
}

/** @param {readonly Contender[]} contenders @param {Options} options @returns {Promise<Report['names']>} */
async function readNames([own, peer], options) {
  const tsukube = await readVersion(own.endpoint);
  return peer ? { tsukube, peer: options.peerName ?? `peer ${await readVersion(peer.endpoint)}` } : { tsukube };
}

/** @param {string} line */
function log(line) {
  process.stderr.write(`${line}\n`);
}

/** @param {Options} options @param {string} command @param {readonly Launcher[]} launchers @param {DriverPool} pool @returns {Promise<Report>} */
async function measure(options, command, launchers, pool) {
  const plan = makePlan(options);
  const recorder = new Recorder();
  const machine = describeMachine();
  const begun = performance.now();
  const runUntil = (/** @type {number} */ share) => {
    const deadline = begun + share * options.budgetSeconds * 1000;
    return { recorder, only: options.only, rounds: plan.rounds, deadline, log };
  };
  const contenders = await bringUp(runUntil(budgetShares.start), launchers, plan.settleMs);
  const names = await readNames(contenders, options);
  const fixtures = new Fixtures(pool);
  const bench = { pool, fixtures, plan };
  try {
    await measureAll(
      runUntil(budgetShares.requests),
      [
        ...objectSteps(bench),
        ...kindSteps(bench),
        ...accessSteps(bench),
        ...admissionSteps(bench),
        ...aggregationSteps(bench),
        ...watchSteps(bench),
      ],
      contenders,
    );
    await measureAll({ ...runUntil(1), rounds: 1 }, controllerSteps(), contenders);
    await measureAll({ ...runUntil(1), rounds: 1 }, [loadedMemoryStep(bench)], contenders);
    await measureAll(runUntil(1), listSteps(bench), contenders);
    // These take long and are measured only on request. CRDs stay, so they come last.
    if (options.only.length > 0) {
      await measureAll({ ...runUntil(1), rounds: 1 }, [idleStep(bench)], contenders);
      await measureAll(runUntil(1), [overloadStep(bench)], contenders);
      await measureAll({ ...runUntil(1), rounds: 1 }, [definitionsStep(bench)], contenders);
    }
  } finally {
    await fixtures.remove((namespace) => log(`removing ${namespace}`));
  }
  const samples = recorder.rows();
  return { date: new Date().toISOString(), command, machine, names, plan, rows: summarize(samples), samples };
}

/** @param {Report} report @param {Options} options */
function present(report, options) {
  process.stdout.write(`${toMarkdown(report)}\n`);
  log(`written to ${fileURLToPath(writeJson(report))}`);
  if (options.publish) publish(report);
}

/** @param {string[]} args @returns {Promise<number>} the exit code: 1 when requests failed */
export async function main(args) {
  const options = parseOptions(args);
  if (options === 'help') {
    process.stdout.write(help);
    return 0;
  }
  if (options.publish) checkPublishable();
  const pool = new DriverPool(options.drivers);
  const launchers = createLaunchers(options);
  try {
    const report = await measure(options, commandLine(args), launchers, pool);
    present(report, options);
    return report.rows.some(({ tsukube, peer }) => (tsukube?.failures ?? 0) + (peer?.failures ?? 0) > 0) ? 1 : 0;
  } finally {
    pool.close();
    for (const launcher of launchers) await launcher.stop();
  }
}
