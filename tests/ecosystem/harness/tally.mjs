import { knownFailure } from './known-failures.mjs';

/**
 * @typedef {import('./suite.mjs').Result} Result
 *
 * @typedef {object} Tally  the result of one suite
 * @property {string} suite
 * @property {string} title
 * @property {string} version
 * @property {number} passed
 * @property {number} failed
 * @property {number} kubernetes  failures that also occur with kube-apiserver
 * @property {number} missing  failures that need a feature which is not implemented
 * @property {number} skipped
 * @property {number} seconds
 * @property {string} [notRun]  why the suite was skipped
 * @property {{ test: string, detail: string, known?: import('./known-failures.mjs').KnownFailure }[]} failures
 */

/** @param {string} suite @param {string} title @returns {Tally} */
export function emptyTally(suite, title) {
  return { suite, title, version: '', passed: 0, failed: 0, kubernetes: 0, missing: 0, skipped: 0, seconds: 0, failures: [] };
}

/** @param {Tally} tally @param {Result} result @param {typeof knownFailure} [find] */
export function countResult(tally, { test, outcome, count = 1, detail = '' }, find = knownFailure) {
  if (outcome !== 'failed') {
    tally[outcome] += count;
    return;
  }
  const known = find(tally.suite, test);
  tally[known?.because ?? 'failed'] += count;
  tally.failures.push({ test, detail, known });
}

/** @param {Tally} tally @returns {string} such as `12 passed, 1 failed` */
export function countsText({ passed, failed, kubernetes, missing, skipped }) {
  const parts = /** @type {const} */ ([
    ['passed', passed],
    ['failed', failed],
    ['failed on Kubernetes too', kubernetes],
    ['not yet', missing],
    ['skipped', skipped],
  ]);
  return (
    parts
      .filter(([, count]) => count > 0)
      .map(([word, count]) => `${count} ${word}`)
      .join(', ') || 'nothing yet'
  );
}
