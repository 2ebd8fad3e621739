import { relative } from 'node:path';
import { root } from './root.mjs';

/** Counts the tests in the output of vitest's JSON reporter. A file that could not be run counts as a failure. */
export function countTests(report) {
  const broken = report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0);
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/** One line per skipped suite: file, title and number of tests. */
export function skippedSuites(report) {
  const counts = new Map();
  for (const { name, assertionResults } of report.testResults) {
    for (const { status, ancestorTitles, title } of assertionResults) {
      if (status === 'passed' || status === 'failed') continue;
      const suite = `${relative(root, name)}: ${ancestorTitles[0] ?? title}`;
      counts.set(suite, (counts.get(suite) ?? 0) + 1);
    }
  }
  return [...counts].map(([suite, count]) => `  ${suite} (${count})`);
}

/** The last line of the test command. */
export function lastLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
