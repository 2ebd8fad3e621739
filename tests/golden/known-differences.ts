/**
 * Recordings that belong to what is served today, and the steps of each that are known to differ, with the reason. Every
 * reason is explained in docs/compatibility.md. A step that is not listed must be answered as recorded.
 */
export const knownDifferences: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  'apply/ownership': {},
  'builtin/apps/v1/controllerrevisions': {},
  'builtin/apps/v1/deployments': {},
  'builtin/apps/v1/replicasets': {},
  'builtin/autoscaling/v1/horizontalpodautoscalers': {},
  'builtin/autoscaling/v2/horizontalpodautoscalers': {},
  'builtin/batch/v1/jobs': {},
  'builtin/events.k8s.io/v1/events': {},
  'builtin/rbac.authorization.k8s.io/v1/clusterroles': {},
  'builtin/rbac.authorization.k8s.io/v1/rolebindings': {},
  'builtin/v1/configmaps': {},
  'builtin/v1/namespaces': {},
  'builtin/v1/secrets': {},
  'builtin/v1/serviceaccounts': {},
  'builtin/v1/services': {},
  'lifecycle/namespace': {},
  'lists/selectors': {},
  'meta/bad-bodies': {},
  'meta/health': {},
  'meta/version': {},
  'patch/merge': {},
  'patch/strategic': {},
  'watch/events': { 20: 'streaming lists' },
  'write/field-validation': {},
  'write/generate-name-and-immutability': {},
  'write/preconditions': {},
};
