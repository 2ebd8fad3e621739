import { readFileSync, writeFileSync } from 'node:fs';
import { elapsed } from './progress.mjs';

/** @typedef {import('./tally.mjs').Tally} Tally */

const page = new URL('../../../docs/compatibility.md', import.meta.url);
const beginMark = '<!-- ecosystem:begin -->';
const endMark = '<!-- ecosystem:end -->';

const head = ['Suite', 'Version', 'Passed', 'Failed', 'On Kubernetes too', 'Not yet', 'Skipped', 'Time', 'Run on'];

/** @param {Tally} tally @param {string} date @returns {string[]} */
function cells(tally, date) {
  const title = `\`${tally.suite}\` ${tally.title}`;
  const counts = [tally.passed, tally.failed, tally.kubernetes, tally.missing, tally.skipped].map(String);
  return [title, tally.version, ...counts, elapsed(tally.seconds * 1000), date];
}

/** @param {readonly Tally[]} tallies @returns {string} the table for a terminal */
export function toText(tallies) {
  const rows = [
    ['suite', 'version', 'passed', 'failed', 'kubernetes', 'not yet', 'skipped', 'time'],
    ...tallies.map((tally) =>
      tally.notRun === undefined
        ? [tally.suite, ...cells(tally, '').slice(1, -1)]
        : [tally.suite, `not run: ${tally.notRun}`, '', '', '', '', '', ''],
    ),
  ];
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => (row[2] === '' ? 0 : row[column].length))));
  const failures = tallies.flatMap(({ suite, failures: found }) =>
    found.filter(({ known }) => known === undefined).map(({ test }) => `  ${suite}: ${test}`),
  );
  const table = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd(),
  );
  return [...table, ...(failures.length > 0 ? ['', 'Failures:', ...failures] : [])].join('\n');
}

/** @param {string} markdown @returns {Map<string, string>} lines of a former run by suite: a table row, or a bullet for each failure */
function linesBySuite(markdown, /** @type {RegExp} */ pattern) {
  /** @type {Map<string, string>} */
  const found = new Map();
  for (const line of markdown.split('\n')) {
    const suite = pattern.exec(line)?.[1];
    if (suite !== undefined) found.set(suite, found.has(suite) ? `${found.get(suite)}\n${line}` : line);
  }
  return found;
}

/** @param {string} former  the text between the marks @param {readonly Tally[]} tallies @param {string} date */
export function mergeMarkdown(former, tallies, date) {
  const rows = linesBySuite(former, /^\| `([\w.-]+)`/);
  const failures = linesBySuite(former, /^- `([\w.-]+)` /);
  for (const tally of tallies) {
    if (tally.notRun !== undefined) continue;
    rows.set(tally.suite, `| ${cells(tally, date).join(' | ')} |`);
    failures.delete(tally.suite);
    if (tally.failures.length > 0)
      failures.set(tally.suite, tally.failures.map((failure) => bullet(tally.suite, failure)).join('\n'));
  }
  const sorted = (/** @type {Map<string, string>} */ map) =>
    [...map].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
  const table = [`| ${head.join(' | ')} |`, `|${'---|'.repeat(head.length)}`, ...sorted(rows)];
  return [...table, ...(failures.size > 0 ? ['', ...sorted(failures)] : [])].join('\n');
}

/** @param {string} suite @param {Tally['failures'][number]} failure */
function bullet(suite, { test, known }) {
  return `- \`${suite}\` ${test}: ${reasonText(known)}`;
}

/** @param {Tally['failures'][number]['known']} known */
function reasonText(known) {
  if (known === undefined) return '**fails here only**';
  return known.because === 'missing' ? `needs ${known.reason}, not there yet` : `fails on kube-apiserver too: ${known.reason}`;
}

/** @returns {{ before: string, between: string, after: string }} */
function readPage() {
  const content = readFileSync(page, 'utf8');
  const begin = content.indexOf(beginMark);
  const end = content.indexOf(endMark);
  if (begin < 0 || end < begin) throw new Error(`docs/compatibility.md has no ${beginMark} … ${endMark} to fill`);
  const from = begin + beginMark.length;
  return { before: content.slice(0, from), between: content.slice(from, end), after: content.slice(end) };
}

/** Checks that the report can be written, before the run. */
export function checkPublishable() {
  readPage();
}

/** @param {readonly Tally[]} tallies @param {Date} date */
export function publish(tallies, date) {
  const { before, between, after } = readPage();
  writeFileSync(page, `${before}\n${mergeMarkdown(between, tallies, date.toISOString().slice(0, 10))}\n${after}`);
}
