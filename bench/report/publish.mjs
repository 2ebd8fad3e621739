import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { toMarkdown } from './markdown.mjs';
import { toSvg } from './svg.mjs';

/** @typedef {import('./report.mjs').Report} Report */

const page = new URL('../../docs/performance.md', import.meta.url);
const image = new URL('../../docs/images/bench.svg', import.meta.url);
const beginMark = '<!-- bench:begin -->';
const endMark = '<!-- bench:end -->';

/** @returns {{ before: string, after: string }} */
function readPage() {
  const content = readFileSync(page, 'utf8');
  const begin = content.indexOf(beginMark);
  const end = content.indexOf(endMark);
  if (begin < 0 || end < begin) throw new Error(`docs/performance.md has no ${beginMark} … ${endMark} to fill`);
  return { before: content.slice(0, begin + beginMark.length), after: content.slice(end) };
}

/** Checked before the run, which takes minutes. */
export function checkPublishable() {
  readPage();
}

/** @param {Report} report */
export function publish(report) {
  const { before, after } = readPage();
  writeFileSync(page, `${before}\n${toMarkdown(report)}\n${after}`);
  if (!report.names.peer) return;
  mkdirSync(new URL('.', image), { recursive: true });
  writeFileSync(image, toSvg(report));
}
