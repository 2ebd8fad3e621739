import { type FieldPath, type JsonObject, objectsIn, textIn } from '@tsukube/machinery';

const labels = new Map([
  ['beta.kubernetes.io/arch', 'deprecated since v1.14; use "kubernetes.io/arch" instead'],
  ['beta.kubernetes.io/os', 'deprecated since v1.14; use "kubernetes.io/os" instead'],
  ['failure-domain.beta.kubernetes.io/region', 'deprecated since v1.17; use "topology.kubernetes.io/region" instead'],
  ['failure-domain.beta.kubernetes.io/zone', 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead'],
  ['beta.kubernetes.io/instance-type', 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead'],
  ['app.kubernetes.io/created-by', 'deprecated since v1.9'],
  ['scheduler.alpha.kubernetes.io/preferAvoidPods', 'deprecated since v1.22; use Taints and Tolerations instead'],
  ['node-role.kubernetes.io/master', 'use "node-role.kubernetes.io/control-plane" instead'],
]);

/** What became of a label of nodes; undefined if it is as good as any. */
export function oldNodeLabel(key: string): string | undefined {
  return labels.get(key);
}

/** The old labels that the expressions of a selector name. */
export function oldLabelWarnings(selector: JsonObject | undefined, at: FieldPath): readonly string[] {
  return objectsIn(selector, 'matchExpressions').flatMap((expression, i) => {
    const key = textIn(expression, 'key');
    const message = oldNodeLabel(key);
    return message ? [`${at.child('matchExpressions').index(i).child('key')}: ${key} is ${message}`] : [];
  });
}
