import { protocolNames } from './objects.mjs';
import { shortCount } from './row.mjs';
import { eventLatencySample, eventRateSample, withLoad } from './sample.mjs';

/**
 * @typedef {import('./row.mjs').Row} Row
 * @typedef {import('./row.mjs').Step} Step
 * @typedef {import('./row.mjs').Contender} Contender
 * @typedef {import('./objects.mjs').Bench} Bench
 * @typedef {import('../driver/connection.mjs').Protocol} Protocol
 * @typedef {import('../driver/watch-job.mjs').Pace} Pace
 */

const slots = 16;
const prefix = 'cm';
const watchersPerConnection = { h2: 50, h1: 1 };
const timeoutMs = 90_000;
const http1Watchers = 100;

/** Writes per second that a kube-apiserver on two cores easily serves to that many watchers. @param {number} watchers */
function moderateRate(watchers) {
  if (watchers < 100) return 200;
  return watchers < 1000 ? 50 : 10;
}

/** @param {Bench} bench @param {Contender} contender @param {Protocol} protocol @param {number} watchers @param {Pace} pace */
async function run(bench, contender, protocol, watchers, pace) {
  const { plan, pool, fixtures } = bench;
  const job = {
    endpoint: contender.endpoint,
    protocol,
    collection: await fixtures.collection(contender, 'watch', prefix, slots),
    prefix,
    slots,
    watchers,
    watchersPerConnection: watchersPerConnection[protocol],
    pace,
    warmupMs: plan.warmupMs,
    durationMs: plan.watchMs,
  };
  return withLoad(contender, () => pool.runWatch(job, timeoutMs));
}

/** @param {Bench} bench @param {Protocol} protocol @param {number} watchers @returns {Step} */
function saturationStep(bench, protocol, watchers) {
  const suffix = protocol === 'h1' ? '-h1' : '';
  const id = `watch-${watchers}${suffix}`;
  const title = `events to ${shortCount(watchers)} watcher${watchers === 1 ? '' : 's'}${suffix && `, ${protocolNames.h1}`}`;
  return {
    rows: [{ id, title, group: 'Watches', unit: 'rate', goal: { ratio: 3, p99: true } }],
    measure: async (contender) => {
      const { result, load } = await run(bench, contender, protocol, watchers, { kind: 'saturation' });
      return { [id]: eventRateSample(result, load) };
    },
  };
}

/** @param {Bench} bench @param {number} watchers @returns {Step} */
function latencyStep(bench, watchers) {
  const perSecond = moderateRate(watchers);
  const id = `watch-${watchers}-latency`;
  const title = `p99 to ${shortCount(watchers)} watcher${watchers === 1 ? '' : 's'} at ${perSecond} writes/s`;
  return {
    rows: [{ id, title, group: 'Watches', unit: 'milliseconds', goal: { ratio: 1 } }],
    measure: async (contender) => {
      const { result, load } = await run(bench, contender, 'h2', watchers, { kind: 'rate', perSecond });
      return { [id]: eventLatencySample(result, load) };
    },
  };
}

/** @param {Bench} bench @returns {Step[]} */
export function watchSteps(bench) {
  const { watcherCounts } = bench.plan;
  return [
    ...watcherCounts.flatMap((watchers) => [saturationStep(bench, 'h2', watchers), latencyStep(bench, watchers)]),
    saturationStep(bench, 'h1', http1Watchers),
  ];
}
