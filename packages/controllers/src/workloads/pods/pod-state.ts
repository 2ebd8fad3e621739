import type { coreV1 } from '@tsukube/api/kinds';

type Pod = coreV1.Pod;

export function podConditionOf(pod: Pod, type: string): coreV1.PodCondition | undefined {
  return pod.status?.conditions?.find((condition) => condition.type === type);
}

export function isReady(pod: Pod): boolean {
  return podConditionOf(pod, 'Ready')?.status === 'True';
}

/** Succeeded or Failed. */
export function isFinished({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/** Neither finished nor being deleted. */
export function isActive(pod: Pod): boolean {
  return !isFinished(pod) && pod.metadata.deletionTimestamp === undefined;
}

/** Being deleted, but not finished. */
export function isTerminating(pod: Pod): boolean {
  return !isFinished(pod) && pod.metadata.deletionTimestamp !== undefined;
}

/** Milliseconds until a ready pod has been so for `minReadySeconds`; 0 if it has, undefined if it is not ready. */
export function untilAvailable(pod: Pod, minReadySeconds: number, now: number): number | undefined {
  if (!isReady(pod)) return undefined;
  if (minReadySeconds === 0) return 0;
  const since = Date.parse(podConditionOf(pod, 'Ready')?.lastTransitionTime ?? '');
  return Number.isNaN(since) ? undefined : Math.max(0, since + minReadySeconds * 1000 - now);
}

export function isAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  return untilAvailable(pod, minReadySeconds, now) === 0;
}

/** The soonest time at which a ready pod becomes available, in milliseconds from now; undefined if none does. */
export function nextAvailability(pods: readonly Pod[], minReadySeconds: number, now: number): number | undefined {
  const waits = pods.map((pod) => untilAvailable(pod, minReadySeconds, now)).filter((wait) => wait !== undefined && wait > 0);
  return waits.length === 0 ? undefined : Math.min(...(waits as number[]));
}

const phaseOrder: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

/**
 * The order in which a ReplicaSet deletes pods: unassigned, not running and not ready ones first, then by the annotation
 * pod-deletion-cost, by the number of related pods on the node (`crowd`), the youngest, those with most restarts.
 */
export function deletionOrder(crowd: (pod: Pod) => number, now: number): (a: Pod, b: Pod) => number {
  const criteria: ((pod: Pod) => number)[] = [
    (pod) => (pod.spec?.nodeName ? 1 : 0),
    (pod) => phaseOrder[pod.status?.phase ?? ''] ?? 0,
    (pod) => (isReady(pod) ? 1 : 0),
    deletionCost,
    (pod) => -crowd(pod),
    (pod) => (isReady(pod) ? -logBucket(readySince(pod), now) : 0),
    (pod) => -restarts(pod),
    (pod) => -logBucket(Date.parse(pod.metadata.creationTimestamp ?? ''), now),
  ];
  return (a, b) => {
    for (const criterion of criteria) {
      const difference = criterion(a) - criterion(b);
      if (difference !== 0) return difference;
    }
    return (a.metadata.uid ?? '') < (b.metadata.uid ?? '') ? -1 : 1;
  };
}

function readySince(pod: Pod): number {
  return Date.parse(podConditionOf(pod, 'Ready')?.lastTransitionTime ?? '');
}

/** Pods of about the same age are equal, so that their uids, which are random, decide. Young pods go first. */
function logBucket(since: number, now: number): number {
  if (Number.isNaN(since)) return -1;
  const seconds = Math.max(0, now - since) / 1000;
  return -Math.floor(Math.log2(Math.max(seconds, 1)));
}

function deletionCost({ metadata }: Pod): number {
  const cost = Number(metadata.annotations?.['controller.kubernetes.io/pod-deletion-cost'] ?? 0);
  return Number.isInteger(cost) ? cost : 0;
}

function restarts({ status }: Pod): number {
  return Math.max(0, ...(status?.containerStatuses ?? []).map(({ restartCount }) => restartCount));
}
