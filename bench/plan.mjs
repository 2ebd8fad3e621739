/**
 * Durations and sizes: every row is bounded in time, every set of objects in number.
 *
 * @typedef {object} Plan
 * @property {number} rounds
 * @property {number} inFlight
 * @property {number} coldWarmupMs  before the first round of an object or watch row, because of JIT compilation
 * @property {number} warmupMs  before any other
 * @property {number} objectMs  create, get, update, patch, page
 * @property {number} listMs  each kind of list; at least one whole list whatever it takes
 * @property {number} watchMs
 * @property {number} capacityMs  measurement of the capacity, before the overload
 * @property {number} overloadMs
 * @property {number} idleMs  of a server without requests
 * @property {number} settleMs  between start and the reading of idle memory
 * @property {number} loadedSettleMs  between seeding and the reading of memory under objects
 * @property {number[]} listSizes
 * @property {number[]} watcherCounts
 */

const full = {
  coldWarmupMs: 8000,
  warmupMs: 600,
  objectMs: 1800,
  listMs: 800,
  watchMs: 2000,
  capacityMs: 5000,
  overloadMs: 20_000,
  idleMs: 30_000,
  settleMs: 3000,
  loadedSettleMs: 8000,
};
const quick = {
  coldWarmupMs: 1500,
  warmupMs: 200,
  objectMs: 700,
  listMs: 300,
  watchMs: 800,
  capacityMs: 2500,
  overloadMs: 8000,
  idleMs: 30_000,
  settleMs: 1500,
  loadedSettleMs: 2000,
};

/** @param {import('./options.mjs').Options} options @returns {Plan} */
export function makePlan(options) {
  const sizes = [1000, 10_000, options.objects].filter((size) => size <= options.objects);
  return {
    ...(options.quick ? quick : full),
    rounds: options.rounds,
    inFlight: options.inFlight,
    listSizes: [...new Set(sizes)],
    watcherCounts: [1, 100, 1000],
  };
}
