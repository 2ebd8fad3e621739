/**
 * Terms of the benchmark.
 *
 * A goal is a ratio to the peer; with `p99`, at a p99 no worse than the peer's.
 * One with `atMost` is an upper bound without failures, independent of the peer.
 * @typedef {{ ratio: number, p99?: boolean } | { atMost: number }} Goal
 *
 * For rates higher is better, for everything else lower. Ratios are inverted where needed, so that higher is better.
 * @typedef {'rate' | 'milliseconds' | 'mebibytes' | 'times'} Unit
 *
 * @typedef {{ id: string, title: string, group: string, unit: Unit, goal?: Goal }} Row
 *
 * @typedef {object} Sample  one measurement of one row
 * @property {number} value  in the row's unit
 * @property {number} [p50]  milliseconds
 * @property {number} [p99]
 * @property {number} [max]
 * @property {number} [megabytesPerSecond]
 * @property {number} [failures]
 * @property {string[]} [failureSamples]
 * @property {number} [driverBusy]  the share of one core that the busiest driver process used
 * @property {number} [serverCores]  how many cores the server's processes kept busy
 * @property {number} [otherCores]  how many cores were busy with neither the server nor its driver
 *
 * One measurement, which may fill several rows.
 * @typedef {object} Step
 * @property {readonly Row[]} rows
 * @property {(contender: Contender, round: number) => Promise<Record<string, Sample>>} measure  samples by row id
 *
 * @typedef {import('../servers/launcher.mjs').Contender} Contender
 */

/** In order of the report. */
export const groups = [
  'Process',
  'Objects',
  'Pods and deployments',
  'Custom resources',
  'Admission',
  'Aggregation',
  'Controllers',
  'Lists',
  'Watches',
  'Overload',
];

/** @param {number} count */
export function shortCount(count) {
  return count >= 1000 && count % 1000 === 0 ? `${count / 1000}k` : String(count);
}

/** @param {string} id @param {readonly string[]} only beginnings of ids; none means all */
export function isSelected(id, only) {
  return only.length === 0 || only.some((word) => id === word || id.startsWith(`${word}-`));
}
