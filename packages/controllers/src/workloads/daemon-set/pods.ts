import type { appsV1, coreV1 } from '@tsukube/api/kinds';
import type { WithoutTypeMeta } from '../cluster/cluster.ts';
import { revisionLabel } from '../pods/controller-revisions.ts';
import { podFromTemplate } from '../pods/pod-template.ts';
import { matchesNodeAffinity, untolerated } from '../scheduling/node-fit.ts';

type DaemonSet = appsV1.DaemonSet;

const toleratedTaints: readonly [key: string, effect: 'NoExecute' | 'NoSchedule'][] = [
  ['not-ready', 'NoExecute'],
  ['unreachable', 'NoExecute'],
  ['disk-pressure', 'NoSchedule'],
  ['memory-pressure', 'NoSchedule'],
  ['pid-pressure', 'NoSchedule'],
  ['unschedulable', 'NoSchedule'],
];

/** Daemons run on nodes that are not ready, cordoned or under pressure. */
function daemonTolerations(spec: coreV1.PodSpec | undefined): coreV1.Toleration[] {
  const taints = spec?.hostNetwork ? [...toleratedTaints, ['network-unavailable', 'NoSchedule'] as const] : toleratedTaints;
  const added = taints.map(([key, effect]) => ({ key: `node.kubernetes.io/${key}`, operator: 'Exists', effect }));
  const own = spec?.tolerations ?? [];
  const isNew = (toleration: coreV1.Toleration) =>
    !own.some(({ key, effect }) => key === toleration.key && effect === toleration.effect);
  return [...own, ...(added as coreV1.Toleration[]).filter(isNew)];
}

/** Whether a node shall have a pod of the set, and whether it may keep one it has. */
export function nodeFit({ spec }: DaemonSet, node: coreV1.Node): { shouldRun: boolean; shouldContinue: boolean } {
  const podSpec = spec?.template.spec;
  if (!matchesNodeAffinity(podSpec, node)) return { shouldRun: false, shouldContinue: false };
  const tolerations = daemonTolerations(podSpec);
  const shouldContinue = untolerated(node, tolerations, ['NoExecute']).length === 0;
  return { shouldRun: untolerated(node, tolerations).length === 0, shouldContinue };
}

/** A pod that the scheduler can only assign to one node. */
export function daemonPod(set: DaemonSet, node: string, revision: string): WithoutTypeMeta<coreV1.Pod> {
  const pod = podFromTemplate(set.spec?.template, set);
  const spec = pod.spec as coreV1.PodSpec;
  const generation = set.metadata.annotations?.['deprecated.daemonset.template.generation'];
  const labels = {
    ...pod.metadata.labels,
    [revisionLabel]: revision,
    ...(generation !== undefined && { 'pod-template-generation': generation }),
  };
  const nodeSelectorTerms = [
    { matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] },
  ] as coreV1.NodeSelectorTerm[];
  const nodeAffinity = { ...spec.affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
  return {
    ...pod,
    metadata: { ...pod.metadata, labels },
    spec: { ...spec, affinity: { ...spec.affinity, nodeAffinity }, tolerations: daemonTolerations(spec) },
  };
}

/** The node that a pod runs on, or is meant for. */
export function targetNodeOf({ spec }: coreV1.Pod): string | undefined {
  if (spec?.nodeName) return spec.nodeName;
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const fields = terms.flatMap(({ matchFields = [] }) => matchFields);
  return fields.find(({ key, values }) => key === 'metadata.name' && values?.length === 1)?.values?.[0];
}
