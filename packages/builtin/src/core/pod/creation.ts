import { type JsonObject, mapIn, objectIn, objectsIn, textsIn } from '@tsukube/machinery';
import { copyAppArmorAnnotations } from './app-armor.ts';
import { setCondition } from './conditions.ts';
import { qosClassOf } from './qos.ts';

/** A new pod waits to be run; what its status says is the server's. */
export function preparePod(pod: JsonObject): void {
  const spec = pod.spec as JsonObject;
  const status: JsonObject = { phase: 'Pending', qosClass: qosClassOf(spec) };
  pod.status = status;
  if (objectsIn(spec, 'schedulingGates').length > 0) {
    setCondition(status, {
      type: 'PodScheduled',
      status: 'False',
      reason: 'SchedulingGated',
      message: 'Scheduling is blocked due to non-empty scheduling gates',
    });
  }
  selectByOwnLabels(spec, mapIn(pod.metadata as JsonObject, 'labels'));
  copyAppArmorAnnotations(pod);
}

/** Keys of labels become expressions with the values that this pod has. */
function selectByOwnLabels(spec: JsonObject, labels: Readonly<Record<string, string>>): void {
  const affinity = objectIn(spec, 'affinity');
  for (const kind of ['podAffinity', 'podAntiAffinity']) {
    const terms = objectIn(affinity, kind);
    for (const weighted of objectsIn(terms, 'preferredDuringSchedulingIgnoredDuringExecution'))
      mergeLabelKeys(objectIn(weighted, 'podAffinityTerm'), labels);
    for (const term of objectsIn(terms, 'requiredDuringSchedulingIgnoredDuringExecution')) mergeLabelKeys(term, labels);
  }
  for (const constraint of objectsIn(spec, 'topologySpreadConstraints')) mergeLabelKeys(constraint, labels);
}

function mergeLabelKeys(term: JsonObject | undefined, labels: Readonly<Record<string, string>>): void {
  const selector = objectIn(term, 'labelSelector');
  if (!selector) return;
  const added = [
    ...expressions(textsIn(term, 'matchLabelKeys'), 'In', labels),
    ...expressions(textsIn(term, 'mismatchLabelKeys'), 'NotIn', labels),
  ];
  if (added.length > 0) selector.matchExpressions = [...objectsIn(selector, 'matchExpressions'), ...added];
}

function expressions(keys: readonly string[], operator: string, labels: Readonly<Record<string, string>>): JsonObject[] {
  return keys.filter((key) => Object.hasOwn(labels, key)).map((key) => ({ key, operator, values: [labels[key] as string] }));
}
