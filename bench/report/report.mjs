/**
 * The result of a run.
 * @typedef {object} Report
 * @property {string} date
 * @property {string} command
 * @property {import('./machine.mjs').Machine} machine
 * @property {{ tsukube: string, peer?: string }} names  with versions
 * @property {import('../plan.mjs').Plan} plan
 * @property {import('./summary.mjs').Summary[]} rows
 * @property {import('../recorder.mjs').RecordedRow[]} samples
 */

import { mkdirSync, writeFileSync } from 'node:fs';

const folder = new URL('../results/', import.meta.url);

/** @param {Report} report @returns {URL} */
export function writeJson(report) {
  mkdirSync(folder, { recursive: true });
  const file = new URL(`${report.date.replace(/[:.]/g, '-')}.json`, folder);
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
  return file;
}
