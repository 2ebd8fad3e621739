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
    suite: 'controller-runtime',
    test: /should reject create request for (multi-)?webhook that rejects all requests$/,
    because: 'missing',
    reason: 'admission webhooks',
  },
  {
    suite: 'kube-rs',
    test: /test::(pod_can_await_conditions|can_get_pod_logs_and_evict|pod_can_exec_and_write_to_stdin)$/,
    because: 'kubernetes',
    reason: 'the pod of the test never runs without a kubelet',
  },
  {
    suite: 'cluster-api',
    test: /structuredmerge TestServerSideApplyWithDefaulting\//,
    because: 'missing',
    reason: 'admission webhooks',
  },
  {
    suite: 'cluster-api',
    test: /ssa\/test TestMitigateManagedFieldsIssue\/Case_1:_\[\]_=>_\[fieldManager\]$/,
    because: 'missing',
    reason: 'admission webhooks',
  },
  {
    suite: 'cluster-api',
    test: /^util\/(controller Test_Delete|patch\/test TestPatchHelper\/Should_(update_Status\.ObservedGeneration|error_if_the_object))/,
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
