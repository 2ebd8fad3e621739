import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commands } from './command.mjs';
import { command, envtestAssets, serverPool } from './servers.mjs';
import { Unavailable } from './suite.mjs';
import { countResult, emptyTally } from './tally.mjs';
import { missingTools } from './tools.mjs';

/**
 * @typedef {import('./suite.mjs').Suite} Suite
 * @typedef {import('./suite.mjs').Context} Context
 * @typedef {import('./tally.mjs').Tally} Tally
 * @typedef {ReturnType<typeof import('./progress.mjs').openProgress>} Progress
 * @typedef {{ folder: string, signal: AbortSignal, assets?: string, kubeconfig?: string }} Settings
 */

/**
 * Runs one suite. If the suite throws, or misses its deadline, that is a failure in addition to its results.
 * @param {Suite} suite @param {Progress} progress @param {Settings} settings @returns {Promise<Tally>}
 */
export async function runSuite(suite, progress, settings) {
  const tally = emptyTally(suite.name, suite.title);
  const missing = missingTools(suite.needs);
  if (missing.length > 0) return { ...tally, notRun: `${missing.join(' and ')} not found` };
  const begun = performance.now();
  const deadline = AbortSignal.timeout(suite.minutes * 60_000);
  const servers = serverPool(settings.kubeconfig);
  progress.begin(tally);
  try {
    const context = makeContext(suite, progress, servers, { ...settings, signal: AbortSignal.any([settings.signal, deadline]) });
    await collect(suite, context, tally, progress);
    if (deadline.aborted) throw new Error(`did not end within ${suite.minutes} minutes`);
  } catch (error) {
    settings.signal.throwIfAborted();
    if (error instanceof Unavailable) return { ...tally, notRun: error.message };
    const detail = deadline.aborted
      ? `did not end within ${suite.minutes} minutes`
      : String(error instanceof Error ? error.message : error);
    countFailure(tally, { test: 'the suite itself', outcome: 'failed', detail }, progress);
  } finally {
    await servers.stopAll();
    tally.seconds = Math.round((performance.now() - begun) / 1000);
    progress.end();
  }
  return tally;
}

/** @param {Suite} suite @param {Context} context @param {Tally} tally @param {Progress} progress */
async function collect(suite, context, tally, progress) {
  const prepared = await suite.prepare(context);
  tally.version = prepared.version;
  progress.status('');
  for await (const result of suite.run(context, prepared)) {
    if (result.outcome === 'failed') countFailure(tally, result, progress);
    else countResult(tally, result);
    if (result.retried) progress.print(`retried ${result.test}: passed at the second attempt`);
  }
}

/** @param {Tally} tally @param {import('./suite.mjs').Result} result @param {Progress} progress */
function countFailure(tally, result, progress) {
  countResult(tally, result);
  const { known } = tally.failures.at(-1) ?? {};
  const detail = (result.detail ?? '').trim().split('\n').slice(0, 12).join('\n    ');
  progress.print(known ? `known   ${result.test}: ${known.reason}` : `FAILED  ${result.test}\n    ${detail}`);
}

/** @param {Suite} suite @param {Progress} progress @param {ReturnType<typeof serverPool>} servers @param {Settings} settings @returns {Context} */
function makeContext(suite, progress, servers, { folder: parent, signal, assets, kubeconfig }) {
  const folder = join(parent, suite.name);
  const log = join(parent, `${suite.name}.log`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(log, '');
  return {
    folder,
    signal,
    status: progress.status,
    ...commands({ folder, log, signal }),
    startServer: servers.start,
    command,
    kubeconfig,
    assets: async () => assets ?? envtestAssets(),
  };
}
