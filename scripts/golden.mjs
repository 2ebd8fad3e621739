// Records the responses of an API server, and replays the same requests against another one.
//   npm run golden -- record --kubeconfig FILE --out DIR SCENARIOS.mjs…
//   npm run golden -- replay --kubeconfig FILE [--only TEXT] [--max-diffs N] [--json FILE] [DIR|RECORDING…]
// A scenario module exports `scenarios`; scripts/golden/scenario.mjs describes their format.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { readRecording, record, replay } from './golden/recording.mjs';
import { root } from './root.mjs';

const usage = 'usage: npm run golden -- record|replay --kubeconfig FILE …, see scripts/golden.mjs';
const defaultRecordings = join(root, 'tests', 'golden', 'recordings');
const maxFailuresShown = 4;

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      kubeconfig: { type: 'string' },
      out: { type: 'string', default: defaultRecordings },
      only: { type: 'string', default: '' },
      'max-diffs': { type: 'string', default: '6' },
      json: { type: 'string' },
    },
  });
  const [mode, ...inputs] = positionals;
  if (!values.kubeconfig || (mode !== 'record' && mode !== 'replay')) throw new Error(usage);
  const kubeconfig = readFileSync(values.kubeconfig, 'utf8');
  if (mode === 'record') return recordAll(inputs, kubeconfig, values.out);
  return replayAll(inputs.length > 0 ? inputs : [defaultRecordings], kubeconfig, values);
}

/** @param {readonly string[]} modules @param {string} kubeconfig @param {string} out */
async function recordAll(modules, kubeconfig, out) {
  mkdirSync(out, { recursive: true });
  for (const file of modules) {
    const { scenarios } = await import(pathToFileURL(resolve(file)).href);
    for (const scenario of scenarios) {
      const path = join(out, `${scenario.name.replace(/[^\w.-]+/g, '_')}.json`);
      writeFileSync(path, `${JSON.stringify(await record(scenario, kubeconfig), null, 1)}\n`);
    }
    console.log(`${basename(file)}: ${scenarios.length} scenarios recorded`);
  }
}

/** @param {readonly string[]} inputs @param {string} kubeconfig @param {{ only: string, 'max-diffs': string, json?: string }} options */
async function replayAll(inputs, kubeconfig, { only, 'max-diffs': maxDiffs, json }) {
  const report = [];
  for (const file of inputs.flatMap((input) => [...recordingsIn(input)])) {
    const recording = readRecording(file);
    if (!recording.name.includes(only)) continue;
    const failures = await replay(recording, kubeconfig);
    report.push({ name: recording.name, steps: recording.steps.length, failures });
    if (failures.length > 0) printFailures(recording.name, failures, Number(maxDiffs));
  }
  if (json) writeFileSync(json, JSON.stringify(report, null, 1));
  const passed = report.filter(({ failures }) => failures.length === 0).length;
  const steps = report.reduce((sum, each) => sum + each.steps, 0);
  const differing = report.reduce((sum, { failures }) => sum + failures.length, 0);
  console.log(`identical steps: ${steps - differing} of ${steps}`);
  console.log(`${passed} passed, ${report.length - passed} failed`);
  if (passed < report.length) process.exitCode = 1;
}

/** @param {string} name @param {readonly import('./golden/recording.mjs').Failure[]} failures @param {number} maxDiffs */
function printFailures(name, failures, maxDiffs) {
  console.log(`not ok: ${name}`);
  for (const { step, request, diffs } of failures.slice(0, maxFailuresShown)) {
    console.log(`  step ${step}: ${request}`);
    for (const diff of diffs.slice(0, maxDiffs)) console.log(`    ${diff}`);
    if (diffs.length > maxDiffs) console.log(`    … ${diffs.length - maxDiffs} more`);
  }
}

/** @param {string} path @returns {Generator<string>} */
function* recordingsIn(path) {
  if (statSync(path).isDirectory()) for (const name of readdirSync(path).sort()) yield* recordingsIn(join(path, name));
  else if (path.endsWith('.json')) yield path;
}

await main().catch((error) => {
  console.error(error.message);
  process.exitCode = 2;
});
