import type { coreV1 } from '@tsukube/api/kinds';

type Node = coreV1.Node;
type PodSpec = coreV1.PodSpec;

const unschedulableTaint: coreV1.Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** Whether a toleration covers a taint. */
export function tolerates({ key, operator, value, effect }: coreV1.Toleration, taint: coreV1.Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  return Boolean(key) && (value ?? '') === (taint.value ?? '');
}

/** Taints of a node that keep a pod from being scheduled to it. */
export function untolerated(
  node: Node,
  tolerations: readonly coreV1.Toleration[] = [],
  effects = ['NoSchedule', 'NoExecute'],
): coreV1.Taint[] {
  const taints = (node.spec?.taints ?? []).filter(({ effect }) => effects.includes(effect));
  return taints.filter((taint) => !tolerations.some((toleration) => tolerates(toleration, taint)));
}

/** Whether a node is cordoned and the pod does not tolerate that. */
export function isCordoned(node: Node, tolerations: readonly coreV1.Toleration[] = []): boolean {
  return Boolean(node.spec?.unschedulable) && !tolerations.some((toleration) => tolerates(toleration, unschedulableTaint));
}

/** nodeSelector and the required node affinity of a pod. */
export function matchesNodeAffinity(spec: PodSpec | undefined, node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  const selected = Object.entries(spec?.nodeSelector ?? {}).every(([key, value]) => labels[key] === value);
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return selected && (!required || required.nodeSelectorTerms.some((term) => matchesTerm(term, node)));
}

/** A term without requirements matches no node. */
export function matchesTerm({ matchExpressions = [], matchFields = [] }: coreV1.NodeSelectorTerm, node: Node): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  const labels = node.metadata.labels ?? {};
  const byLabel = matchExpressions.every((requirement) => meets(requirement, labels[requirement.key]));
  return byLabel && matchFields.every((requirement) => meets(requirement, node.metadata.name));
}

function meets({ operator, values = [] }: coreV1.NodeSelectorRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return value !== undefined && Number(value) > Number(values[0]);
    case 'Lt':
      return value !== undefined && Number(value) < Number(values[0]);
    default:
      return false;
  }
}
