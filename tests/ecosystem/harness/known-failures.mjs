/**
 * Failures with a known reason. A failure that is not in this table fails the run. An entry matches a test by suite and by the
 * exact name, or by a pattern for names with variable parts.
 *
 * `kubernetes`: kube-apiserver 1.36 fails the test too, verified with `--assets` or `--kubeconfig`.
 * `missing`: the test needs a feature that docs/compatibility.md lists as not implemented.
 *
 * @typedef {{ suite: string, test: string | RegExp, because: 'kubernetes' | 'missing', reason: string }} KnownFailure
 * @type {readonly KnownFailure[]}
 */
export const knownFailures = [
  {
    suite: 'kube-rs',
    test: /test::(pod_can_await_conditions|can_get_pod_logs_and_evict|pod_can_exec_and_write_to_stdin)$/,
    because: 'kubernetes',
    reason: 'the pod of the test never runs without a kubelet',
  },
];

/** @param {string} suite @param {string} test @param {readonly KnownFailure[]} [table] @returns {KnownFailure | undefined} */
export function knownFailure(suite, test, table = knownFailures) {
  return table.find(
    (known) => known.suite === suite && (typeof known.test === 'string' ? known.test === test : known.test.test(test)),
  );
}
