/**
 * Recordings that belong to what is served today, and the steps of each that are known to differ, with the reason. Every
 * reason is explained in docs/compatibility.md. A step that is not listed must be answered as recorded, but for
 * server-side apply and what follows from it.
 */
export const knownDifferences: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  'builtin/autoscaling/v1/horizontalpodautoscalers': {},
  'builtin/autoscaling/v2/horizontalpodautoscalers': {},
  'builtin/events.k8s.io/v1/events': {},
  'builtin/v1/configmaps': {},
  'builtin/v1/namespaces': {},
  'builtin/v1/secrets': {},
  'lifecycle/namespace': { 1: 'kinds' },
  'lists/selectors': {},
  'meta/bad-bodies': {},
  'meta/health': {},
  'meta/version': {},
  'patch/merge': {},
  'watch/events': { 20: 'streaming lists' },
  'write/field-validation': { 0: 'kinds', 1: 'kinds', 2: 'kinds', 3: 'kinds', 4: 'kinds', 5: 'apply', 6: 'kinds', 7: 'kinds' },
  'write/generate-name-and-immutability': { 4: 'kinds', 5: 'kinds', 6: 'kinds' },
  'write/preconditions': {},
};

/** Parts of an answer that are not compared yet: the record of who owns which field. */
export const notComparedYet = /\bmanagedFields\b/;

/** What an object shows that was not applied to: neither the label nor the version of that write. */
export const followsFromApply = /\.metadata\.labels\.applied$|\.metadata\.resourceVersion$/;
