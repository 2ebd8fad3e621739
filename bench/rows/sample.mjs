import { meanOf, quantileOf } from '../driver/histogram.mjs';
import { cpuMs } from '../servers/processes.mjs';

/**
 * From what a driver counted to a sample.
 * @typedef {import('./row.mjs').Sample} Sample
 * @typedef {import('../servers/launcher.mjs').Contender} Contender
 * @typedef {import('../driver/pool.mjs').PooledResult} PooledResult
 * @typedef {import('../driver/watch-job.mjs').WatchResult} WatchResult
 */

/**
 * @template T
 * @param {Contender} contender @param {() => Promise<T>} work
 * @returns {Promise<{ result: T, serverCores: number | undefined }>}
 */
export async function withServerCost(contender, work) {
  const begun = performance.now();
  const before = cpuMs(contender.pids);
  const result = await work();
  const cores = (cpuMs(contender.pids) - before) / (performance.now() - begun);
  return { result, serverCores: contender.pids.length > 0 ? cores : undefined };
}

/** @param {PooledResult | WatchResult} result */
function common({ latencies, failures, failureSamples }) {
  return { p50: quantileOf(latencies, 0.5), p99: quantileOf(latencies, 0.99), failures, failureSamples };
}

/** @param {PooledResult} result @param {number} [serverCores] @returns {Sample} operations a second */
export function rateSample(result, serverCores) {
  return {
    ...common(result),
    value: (result.completed / result.elapsedMs) * 1000,
    megabytesPerSecond: result.bytes / result.elapsedMs / 1000,
    driverBusy: result.busiestCore,
    serverCores,
  };
}

/** @param {PooledResult} result @param {number} [serverCores] @returns {Sample} milliseconds an operation, one at a time */
export function durationSample(result, serverCores) {
  const value = meanOf(result.latencies);
  const megabytesPerSecond = result.bytes / result.completed / value / 1000;
  const { failures, failureSamples } = result;
  return { value, megabytesPerSecond, failures, failureSamples, driverBusy: result.busiestCore, serverCores };
}

/** @param {WatchResult} result @param {number} [serverCores] @returns {Sample} events a second, all watchers together */
export function eventRateSample(result, serverCores) {
  const value = (result.events / result.elapsedMs) * 1000;
  return { ...common(result), value, driverBusy: result.cpuMs / result.wallMs, serverCores };
}

/** @param {WatchResult} result @param {number} [serverCores] @returns {Sample} the p99 from write to event */
export function eventLatencySample(result, serverCores) {
  const shared = common(result);
  return { ...shared, value: shared.p99, driverBusy: result.cpuMs / result.wallMs, serverCores };
}
