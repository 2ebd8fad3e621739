/**
 * Tests that fail here and against kube-apiserver alike, each with the reason. A failure that is not in this table fails the run.
 * An entry matches a test by suite and by the exact name, or by a pattern for names with variable parts.
 *
 * @typedef {{ suite: string, test: string | RegExp, reason: string }} KnownFailure
 * @type {readonly KnownFailure[]}
 */
export const knownFailures = [];

/** @param {string} suite @param {string} test @param {readonly KnownFailure[]} [table] @returns {string | undefined} the reason */
export function knownReason(suite, test, table = knownFailures) {
  const matches = (/** @type {KnownFailure} */ known) =>
    known.suite === suite && (typeof known.test === 'string' ? known.test === test : known.test.test(test));
  return table.find(matches)?.reason;
}
