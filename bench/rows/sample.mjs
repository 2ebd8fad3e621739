import { meanOf, quantileOf } from '../driver/histogram.mjs';
import { cpuMs, machineBusyMs } from '../servers/processes.mjs';

/**
 * Converts driver results to samples.
 * @typedef {import('./row.mjs').Sample} Sample
 * @typedef {import('../servers/launcher.mjs').Contender} Contender
 * @typedef {import('../driver/pool.mjs').PooledResult} PooledResult
 * @typedef {import('../driver/watch-job.mjs').WatchResult} WatchResult
 */

/**
 * Cores used while a row was measured; unknown for a server without process ids.
 * @typedef {{ serverCores?: number, otherCores?: number }} Load
 */

/**
 * @template {{ cpuMs: number }} T
 * @param {Contender} contender @param {() => Promise<T>} work
 * @returns {Promise<{ result: T, load: Load }>}
 */
export async function withLoad(contender, work) {
  const begun = performance.now();
  const serverBefore = cpuMs(contender.pids);
  const machineBefore = machineBusyMs();
  const result = await work();
  const elapsed = performance.now() - begun;
  if (contender.pids.length === 0) return { result, load: {} };
  const server = cpuMs(contender.pids) - serverBefore;
  const others = machineBusyMs() - machineBefore - server - result.cpuMs;
  return { result, load: { serverCores: server / elapsed, otherCores: Math.max(0, others / elapsed) } };
}

/** @param {PooledResult | WatchResult} result */
function common({ latencies, failures, failureSamples }) {
  return { p50: quantileOf(latencies, 0.5), p99: quantileOf(latencies, 0.99), failures, failureSamples };
}

/** @param {PooledResult} result @param {Load} load @returns {Sample} operations a second */
export function rateSample(result, load) {
  const value = (result.completed / result.elapsedMs) * 1000;
  const megabytesPerSecond = result.bytes / result.elapsedMs / 1000;
  return { ...common(result), value, megabytesPerSecond, driverBusy: result.busiestCore, ...load };
}

/** @param {PooledResult} result @param {Load} load @returns {Sample} milliseconds an operation, one at a time */
export function durationSample(result, load) {
  const value = meanOf(result.latencies);
  const megabytesPerSecond = result.bytes / result.completed / value / 1000;
  const { failures, failureSamples } = result;
  return { value, megabytesPerSecond, failures, failureSamples, driverBusy: result.busiestCore, ...load };
}

/** @param {WatchResult} result @param {Load} load @returns {Sample} events a second, all watchers together */
export function eventRateSample(result, load) {
  const value = (result.events / result.elapsedMs) * 1000;
  return { ...common(result), value, driverBusy: result.cpuMs / result.wallMs, ...load };
}

/** @param {WatchResult} result @param {Load} load @returns {Sample} the p99 from write to event */
export function eventLatencySample(result, load) {
  const shared = common(result);
  return { ...shared, value: shared.p99, driverBusy: result.cpuMs / result.wallMs, ...load };
}
