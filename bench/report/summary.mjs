import { groups } from '../rows/row.mjs';

/**
 * @typedef {import('../recorder.mjs').RecordedRow} RecordedRow
 * @typedef {import('../rows/row.mjs').Row} Row
 * @typedef {import('../rows/row.mjs').Sample} Sample
 *
 * @typedef {{ value: number, p50?: number, p99?: number, max?: number, megabytesPerSecond?: number, driverBusy?: number, otherCores?: number, failures: number }} Median
 *
 * @typedef {object} Summary
 * @property {Row} row
 * @property {Median} [tsukube]
 * @property {Median} [peer]
 * @property {number} [ratio]  more than 1 means better than the peer, whatever the unit
 * @property {[number, number]} [spread]  the lowest and the highest ratio of any one round
 * @property {boolean} [met]
 */

/** @param {readonly number[]} values */
function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** @param {readonly Sample[]} samples @param {'p50' | 'p99' | 'max' | 'megabytesPerSecond' | 'driverBusy' | 'otherCores'} key */
function medianOf(samples, key) {
  const values = samples.flatMap((sample) => sample[key] ?? []);
  return values.length > 0 ? median(values) : undefined;
}

/** @param {readonly Sample[]} samples @returns {Median | undefined} */
function summarizeSamples(samples) {
  if (samples.length === 0) return undefined;
  const measured = samples.filter((sample) => Number.isFinite(sample.value));
  return {
    value: measured.length > 0 ? median(measured.map((sample) => sample.value)) : Number.NaN,
    p50: medianOf(measured, 'p50'),
    p99: medianOf(measured, 'p99'),
    max: medianOf(measured, 'max'),
    megabytesPerSecond: medianOf(measured, 'megabytesPerSecond'),
    driverBusy: medianOf(measured, 'driverBusy'),
    otherCores: medianOf(measured, 'otherCores'),
    failures: samples.reduce((total, sample) => total + (sample.failures ?? 0), 0),
  };
}

/** @param {Row} row @param {{ value: number }} [tsukube] @param {{ value: number }} [peer] */
function ratioOf(row, tsukube, peer) {
  if (!tsukube || !peer) return undefined;
  const ratio = row.unit === 'rate' ? tsukube.value / peer.value : peer.value / tsukube.value;
  return Number.isFinite(ratio) ? ratio : undefined;
}

/** @param {RecordedRow} recorded @returns {[number, number] | undefined} */
function spreadOf({ row, samples }) {
  const ratios = samples.tsukube.flatMap((sample, round) => ratioOf(row, sample, samples.peer[round]) ?? []);
  return ratios.length > 1 ? [Math.min(...ratios), Math.max(...ratios)] : undefined;
}

/** @param {Row} row @param {number | undefined} ratio @param {Median} [tsukube] @param {Median} [peer] */
function isMet({ goal }, ratio, tsukube, peer) {
  if (!goal || !tsukube) return undefined;
  if ('atMost' in goal) return tsukube.value <= goal.atMost && tsukube.failures === 0;
  if (ratio === undefined || !peer) return undefined;
  const tailHolds = !goal.p99 || (tsukube.p99 ?? 0) <= (peer.p99 ?? 0);
  return ratio >= goal.ratio && tailHolds && tsukube.failures === 0;
}

/** @param {readonly RecordedRow[]} rows @returns {Summary[]} */
export function summarize(rows) {
  const ordered = groups.flatMap((group) => rows.filter(({ row }) => row.group === group));
  return ordered.map(({ row, samples }) => {
    const tsukube = summarizeSamples(samples.tsukube);
    const peer = summarizeSamples(samples.peer);
    const ratio = ratioOf(row, tsukube, peer);
    return { row, tsukube, peer, ratio, spread: spreadOf({ row, samples }), met: isMet(row, ratio, tsukube, peer) };
  });
}
