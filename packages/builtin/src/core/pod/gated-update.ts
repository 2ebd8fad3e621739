import { deepEqual, type FieldErrors, type FieldPath, type JsonObject, mapIn, objectIn, objectsIn } from '@tsukube/machinery';
import { internalForm } from '../../common/internal-form.ts';

const required = 'requiredDuringSchedulingIgnoredDuringExecution';

/** As long as a pod is not to be scheduled, the choice of nodes may be narrowed. Takes what is allowed back in `spec`. */
export function ignoreGatedChanges(spec: JsonObject, oldSpec: JsonObject, at: FieldPath, errors: FieldErrors): void {
  if (!deepEqual(spec.nodeSelector, oldSpec.nodeSelector)) {
    validateOnlyAdded(mapIn(spec, 'nodeSelector'), mapIn(oldSpec, 'nodeSelector'), at.child('nodeSelector'), errors);
    if (oldSpec.nodeSelector === undefined) delete spec.nodeSelector;
    else spec.nodeSelector = oldSpec.nodeSelector;
  }
  const affinity = objectIn(spec, 'affinity');
  const oldAffinity = objectIn(oldSpec, 'affinity');
  const oldNodes = objectIn(oldAffinity, 'nodeAffinity');
  const nodes = objectIn(affinity, 'nodeAffinity');
  if (deepEqual(nodes, oldNodes)) return;
  validateAffinityMutation(nodes, oldNodes, at.child('affinity', 'nodeAffinity', required, 'nodeSelectorTerms'), errors);
  const { nodeAffinity: _, ...others } = affinity ?? {};
  if (oldNodes) spec.affinity = { nodeAffinity: oldNodes, ...others };
  else if (!oldAffinity && Object.keys(others).length === 0) delete spec.affinity;
  else spec.affinity = others;
}

function validateOnlyAdded(
  selector: Readonly<Record<string, string>>,
  old: Readonly<Record<string, string>>,
  at: FieldPath,
  errors: FieldErrors,
): void {
  const kept = Object.keys(old).every((key) => selector[key] === old[key]);
  if (!kept) errors.invalid(at, { ...selector }, 'only additions to spec.nodeSelector are allowed (no mutations or deletions)');
}

function validateAffinityMutation(
  nodes: JsonObject | undefined,
  old: JsonObject | undefined,
  at: FieldPath,
  errors: FieldErrors,
): void {
  const oldTerms = objectsIn(objectIn(old, required), 'nodeSelectorTerms');
  const terms = objectsIn(objectIn(nodes, required), 'nodeSelectorTerms');
  if (oldTerms.length === 0) return;
  if (oldTerms.length !== terms.length) {
    errors.invalid(at, terms.map(shown), 'no additions/deletions to non-empty NodeSelectorTerms list are allowed');
    return;
  }
  for (const [i, oldTerm] of oldTerms.entries())
    if (!hasOnlyAdditions(terms[i] as JsonObject, oldTerm))
      errors.invalid(at.index(i), shown(terms[i] as JsonObject), 'only additions are allowed (no mutations or deletions)');
}

function shown(term: JsonObject): JsonObject {
  return internalForm(term, 'NodeSelectorTerm');
}

function hasOnlyAdditions(term: JsonObject, old: JsonObject): boolean {
  const lists = ['matchExpressions', 'matchFields'];
  // A term without any requirement matches no node, and shall go on doing so.
  if (lists.every((list) => objectsIn(old, list).length === 0)) return lists.every((list) => objectsIn(term, list).length === 0);
  return lists.every((list) => {
    const before = objectsIn(old, list);
    return deepEqual([...objectsIn(term, list).slice(0, before.length)], [...before]);
  });
}
