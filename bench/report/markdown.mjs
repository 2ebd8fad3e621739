import { formatDuration, formatRatio, formatValue } from './format.mjs';
import { machineLine } from './machine.mjs';

/**
 * @typedef {import('./report.mjs').Report} Report
 * @typedef {import('./summary.mjs').Summary} Summary
 * @typedef {import('./summary.mjs').Median} Median
 */

/** @param {Summary['row']} row @param {Median} [median] */
function valueCell(row, median) {
  if (!median) return '–';
  const volume = row.group === 'Lists' && median.megabytesPerSecond ? ` (${Math.round(median.megabytesPerSecond)} MB/s)` : '';
  const highest = row.group === 'Overload' && median.max !== undefined ? ` (max ${formatDuration(median.max)})` : '';
  const failures = median.failures > 0 ? `, ${median.failures} failed` : '';
  return `${formatValue(row.unit, median.value)}${volume}${highest}${failures}`;
}

/** @param {Median} [median] */
function latencyCell(median) {
  const { p50 = Number.NaN, p99 = Number.NaN } = median ?? {};
  return Number.isFinite(p99) ? `${formatDuration(p50)} / ${formatDuration(p99)}` : '';
}

/** @param {Summary} summary */
function ratioCell({ ratio, spread }) {
  if (ratio === undefined) return '';
  return spread ? `${formatRatio(ratio)} (${spread.map(formatRatio).join(' – ')})` : formatRatio(ratio);
}

/** @param {Summary} summary */
function goalCell({ row }) {
  if (!row.goal) return '';
  if ('atMost' in row.goal) return `≤ ${formatValue(row.unit, row.goal.atMost)}`;
  return `≥ ${row.goal.ratio}×${row.goal.p99 ? ', p99 no worse' : ''}`;
}

/** @param {Summary} summary */
function metCell({ met }) {
  if (met === undefined) return '';
  return met ? 'yes' : '**no**';
}

/** @param {readonly (readonly string[])[]} rows the first is the head */
function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const line = (/** @type {readonly string[]} */ cells) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [line(rows[0]), rule, ...rows.slice(1).map(line)].join('\n');
}

/** @param {Report} report */
function comparison({ rows, names }) {
  const head = ['', 'Tsukube', 'p50 / p99', names.peer ?? 'peer', 'p50 / p99', 'Ratio', 'Target', 'Met'];
  const body = rows.map((summary) => [
    summary.row.title,
    valueCell(summary.row, summary.tsukube),
    latencyCell(summary.tsukube),
    valueCell(summary.row, summary.peer),
    latencyCell(summary.peer),
    ratioCell(summary),
    goalCell(summary),
    metCell(summary),
  ]);
  return table([head, ...body]);
}

/** @param {Report} report */
function alone({ rows }) {
  const body = rows.map(({ row, tsukube }) => [row.title, valueCell(row, tsukube), latencyCell(tsukube)]);
  if (!rows.some(({ met }) => met !== undefined)) return table([['', 'Tsukube', 'p50 / p99'], ...body]);
  const verdicts = rows.map((summary, index) => [
    ...body[index],
    summary.met === undefined ? '' : goalCell(summary),
    metCell(summary),
  ]);
  return table([['', 'Tsukube', 'p50 / p99', 'Target', 'Met'], ...verdicts]);
}

/** @param {Report} report @returns {string} the maximum load of the driver: at 100 % the driver is the bottleneck */
export function driverLine({ rows }) {
  const busiest = rows
    .flatMap(({ row, tsukube, peer }) => [tsukube, peer].map((median) => ({ title: row.title, busy: median?.driverBusy ?? 0 })))
    .sort((a, b) => b.busy - a.busy)[0];
  if (!busiest || busiest.busy === 0) return '';
  return `The busiest driver process used ${Math.round(busiest.busy * 100)} % of a core (${busiest.title}).`;
}

/** @param {Report} report @returns {string} a machine that is busy with other things measures those */
export function othersLine({ rows }) {
  const loads = rows
    .flatMap(({ tsukube, peer }) => [tsukube?.otherCores ?? [], peer?.otherCores ?? []].flat())
    .sort((a, b) => a - b);
  if (loads.length === 0) return '';
  return `Other processes kept ${loads[loads.length >> 1].toFixed(1)} cores busy (median of the rows; most: ${loads[loads.length - 1].toFixed(1)}).`;
}

/** @param {Report} report */
export function toMarkdown(report) {
  const { names, plan } = report;
  const servers = names.peer ? `Tsukube is ${names.tsukube}, the peer is ${names.peer}.` : `Tsukube is ${names.tsukube}.`;
  const rounds = plan.rounds === 1 ? 'One round.' : `Medians of up to ${plan.rounds} rounds, in turn.`;
  return [
    `Measured on ${report.date.slice(0, 10)} with`,
    `\`\`\`sh\n${report.command}\n\`\`\``,
    `on ${machineLine(report.machine)}. ${servers} ${rounds} ${driverLine(report)} ${othersLine(report)}`.trim(),
    names.peer ? comparison(report) : alone(report),
  ].join('\n\n');
}
