import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { choose, help, parseOptions } from './harness/options.mjs';
import { openProgress } from './harness/progress.mjs';
import { checkPublishable, publish, toText } from './harness/report.mjs';
import { runSuite } from './harness/run.mjs';
import { missingTools } from './harness/tools.mjs';

/** @typedef {import('./harness/suite.mjs').Suite} Suite */

const suitesFolder = new URL('./suites/', import.meta.url);
const workFolder = fileURLToPath(new URL('../../.cache/ecosystem', import.meta.url));

/** @returns {Promise<Suite[]>} by name */
export async function loadSuites() {
  const files = readdirSync(suitesFolder).filter((name) => name.endsWith('.mjs'));
  return Promise.all(files.sort().map(loadSuite));
}

/** @param {string} file @returns {Promise<Suite>} */
async function loadSuite(file) {
  const { default: suite } = await import(new URL(file, suitesFolder).href);
  if (`${suite?.name}.mjs` !== file) throw new Error(`tests/ecosystem/suites/${file} must export a suite of that name`);
  return suite;
}

/** @param {readonly Suite[]} suites */
function list(suites) {
  const rows = suites.map(({ name, title, needs }) => {
    const missing = missingTools(needs);
    const needed = missing.length > 0 ? `needs ${missing.join(', ')}, not found` : needs.join(', ');
    return `${name.padEnd(20)}${title} (${needed})\n`;
  });
  process.stdout.write(rows.join(''));
}

/** @param {string[]} args @param {AbortSignal} signal @returns {Promise<number>} the exit code */
export async function main(args, signal) {
  const options = parseOptions(args);
  if (options === 'help') {
    process.stdout.write(help);
    return 0;
  }
  const suites = choose(await loadSuites(), options.names);
  if (options.list) {
    list(suites);
    return 0;
  }
  if (options.publish) checkPublishable();
  mkdirSync(workFolder, { recursive: true });
  const progress = openProgress(process.stdout);
  const tallies = [];
  for (const suite of suites) tallies.push(await runSuite(suite, progress, { ...options, folder: workFolder, signal }));
  progress.close();
  process.stdout.write(`\n${toText(tallies)}\n\nThe output of each suite is in ${join('.cache', 'ecosystem')}/SUITE.log\n`);
  if (options.publish) publish(tallies, new Date());
  return tallies.some(({ failed }) => failed > 0) ? 1 : 0;
}
