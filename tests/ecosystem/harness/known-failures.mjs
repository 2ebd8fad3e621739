/**
 * Failures with a known reason. A failure that is not in this table fails the run. An entry matches a test by suite and by the
 * exact name, or by a pattern for names with variable parts.
 *
 * `kubernetes`: kube-apiserver 1.36 fails the test too, as was seen with `--assets` or `--kubeconfig`.
 * `missing`: the test needs a feature that docs/compatibility.md lists as not there yet.
 *
 * @typedef {{ suite: string, test: string | RegExp, because: 'kubernetes' | 'missing', reason: string }} KnownFailure
 * @type {readonly KnownFailure[]}
 */
export const knownFailures = [
  {
    suite: 'controller-runtime',
    test: /should reject create request for (multi-)?webhook that rejects all requests$/,
    because: 'missing',
    reason: 'admission webhooks',
  },
];

/** @param {string} suite @param {string} test @param {readonly KnownFailure[]} [table] @returns {KnownFailure | undefined} */
export function knownFailure(suite, test, table = knownFailures) {
  return table.find(
    (known) => known.suite === suite && (typeof known.test === 'string' ? known.test === test : known.test.test(test)),
  );
}
