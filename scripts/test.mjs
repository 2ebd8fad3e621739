import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from './build.mjs';
import { root } from './root.mjs';
import { countTests, lastLine, skippedSuites } from './test-summary.mjs';
import { prepareTools } from './test-tools.mjs';

/** Each check that fails counts as a failed test. */
const checks = [
  ['build', build],
  ['types', () => mustRun('node_modules/typescript/bin/tsc', '-p', 'tests')],
  ['lint', () => mustRun('node_modules/@biomejs/biome/bin/biome', 'check', '.')],
  ['layers', () => mustRun('scripts/check-layers.mjs')],
  ['names', () => mustRun('scripts/check-names.mjs')],
  ['regexes', () => mustRun('scripts/check-regexes.mjs')],
];

async function failedChecks() {
  const failed = [];
  for (const [name, check] of checks) {
    try {
      await check();
    } catch (error) {
      process.stdout.write(`${name}: ${error.message}\n`);
      failed.push(name);
    }
  }
  return failed;
}

function mustRun(script, ...args) {
  const { status } = spawnSync(process.execPath, [join(root, script), ...args], { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error('failed');
}

async function runTests(env, args) {
  const folder = mkdtempSync(join(tmpdir(), 'tsukube-test-'));
  const report = join(folder, 'report.json');
  try {
    const code = await vitest(env, ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...args]);
    return { ...JSON.parse(readFileSync(report, 'utf8')), success: code === 0 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const limitMinutes = 30;

/** Resolves to the exit code, which is also nonzero after an unhandled error that the report does not contain. */
function vitest(env, args) {
  const script = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  // In its own process group, so that a worker stuck in a loop is killed too.
  const child = spawn(process.execPath, [script, ...args], { cwd: root, env, stdio: 'inherit', detached: true });
  const endAll = (signal) => process.kill(-child.pid, signal);
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, endAll);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      endAll('SIGKILL');
      reject(new Error(`the tests were stopped after ${limitMinutes} minutes`));
    }, limitMinutes * 60_000);
    child.on('error', reject).on('exit', (code) => {
      clearTimeout(timer);
      resolve(code);
    });
  });
}

function printSkipped(report, missing) {
  const suites = skippedSuites(report);
  if (suites.length === 0) return;
  process.stdout.write(
    `Skipped${missing.length > 0 ? `, because of missing tools (${missing.join(', ')})` : ''}:\n${suites.join('\n')}\n`,
  );
}

async function main(args) {
  const failed = await failedChecks();
  const { env, missing } = prepareTools();
  if (!failed.includes('build')) env.TSUKUBE_TEST_BUILD = '1';
  const report = await runTests(env, args);
  const counts = countTests(report);
  if (!report.success && counts.failed === 0) failed.push('an unhandled error, see above:');
  counts.failed += failed.length;
  printSkipped(report, missing);
  process.stdout.write(`${failed.map((name) => `${name} failed\n`).join('')}${lastLine(counts)}\n`);
  return counts.failed > 0 ? 1 : 0;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stdout.write(`${error.message}\n${lastLine({ passed: 0, failed: 1, skipped: 0 })}\n`);
  process.exitCode = 1;
}
