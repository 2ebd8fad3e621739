/** @typedef {import('../rows/row.mjs').Unit} Unit */

/** @param {number} value three significant digits, thousands separated */
export function formatNumber(value) {
  if (!Number.isFinite(value)) return '–';
  if (value >= 100) return Math.round(value).toLocaleString('en-US');
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** @param {number} milliseconds */
export function formatDuration(milliseconds) {
  return milliseconds >= 1000 ? `${formatNumber(milliseconds / 1000)} s` : `${formatNumber(milliseconds)} ms`;
}

/** @param {Unit} unit @param {number | undefined} value */
export function formatValue(unit, value) {
  if (value === undefined || !Number.isFinite(value)) return '–';
  if (unit === 'rate') return `${formatNumber(value)}/s`;
  if (unit === 'times') return `${formatNumber(value)} ×`;
  return unit === 'milliseconds' ? formatDuration(value) : `${formatNumber(value)} MiB`;
}

/** @param {number} ratio */
export function formatRatio(ratio) {
  return `${ratio >= 10 ? ratio.toFixed(0) : ratio.toFixed(1)}×`;
}
