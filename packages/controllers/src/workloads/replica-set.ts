import type { appsV1, coreV1 } from '@tsukube/api/kinds';
import { controllerOf, formatTime } from '@tsukube/machinery';
import type { Cluster } from './cluster/cluster.ts';
import { runController, type WorkloadController } from './cluster/controller.ts';
import { eventRecorder } from './cluster/events.ts';
import { isSame, omitZero } from './cluster/values.ts';
import { claim, controllerUid, matches, selectorOf } from './pods/ownership.ts';
import { createPod, deletePod, isTerminatingNamespace, slowStart } from './pods/pod-control.ts';
import { deletionOrder, isActive, isAvailable, isFinished, isReady, isTerminating, nextAvailability } from './pods/pod-state.ts';
import { podFromTemplate } from './pods/pod-template.ts';

type ReplicaSet = appsV1.ReplicaSet;
type Pod = coreV1.Pod;

const burstReplicas = 500;

/** Keeps the number of pods of each ReplicaSet. */
export function replicaSetController(cluster: Cluster): WorkloadController {
  const sets = cluster.objects('replicasets');
  const pods = cluster.objects('pods');
  const podsOf = pods.index(controllerUid);
  const setsOf = sets.index(controllerUid);
  const events = eventRecorder(cluster, 'replicaset-controller');

  /** Pods of ReplicaSets with the same owner: pods on a crowded node are deleted first. */
  const relatedPods = (set: ReplicaSet): Pod[] => {
    const owner = controllerOf(set.metadata);
    const related = owner ? setsOf(owner.uid) : [set];
    return related.flatMap(({ metadata }) => podsOf(metadata.uid ?? '')).filter(isActive);
  };
  const manage = async (set: ReplicaSet, active: readonly Pod[]): Promise<void> => {
    const missing = (set.spec.replicas ?? 1) - active.length;
    if (missing > 0) {
      const create = () => createPod(cluster, events, set, podFromTemplate(set.spec.template, set));
      await slowStart(Math.min(missing, burstReplicas), create).catch((error) => {
        if (!isTerminatingNamespace(error)) throw error;
      });
    } else if (missing < 0) {
      const surplus = podsToDelete(active, relatedPods(set), Math.min(-missing, burstReplicas), cluster.now());
      await Promise.all(surplus.map((pod) => deletePod(cluster, events, set, pod)));
    }
  };
  const reconcile = async (namespace: string, name: string): Promise<number | undefined> => {
    const set = sets.get(namespace, name);
    if (!set) return undefined;
    const claimed = await claim(cluster, 'pods', set, selectorOf(set.spec.selector), (pod) => !isFinished(pod));
    const active = claimed.filter(isActive);
    let failure: Error | undefined;
    if (set.metadata.deletionTimestamp === undefined) {
      await manage(set, active).catch((error) => {
        failure = error as Error;
      });
    }
    const status = statusOf(set, active, claimed.filter(isTerminating).length, failure, cluster.now());
    if (!isSame(status, set.status)) await updateStatus(set, status);
    if (failure) throw failure;
    return nextAvailability(active, set.spec.minReadySeconds ?? 0, cluster.now());
  };
  const updateStatus = async (set: ReplicaSet, status: appsV1.ReplicaSetStatus): Promise<void> => {
    await cluster.update('replicasets', { ...set, status }, 'status');
  };
  const controller = runController(cluster, { of: sets, reconcile });
  controller.owns(pods, 'ReplicaSet');
  controller.watches(pods, (pod) => adopters(pod, sets.list(pod.metadata.namespace ?? '')));
  return controller;
}

/** Keys of the ReplicaSets that may adopt a pod without a controller. */
function adopters(pod: Pod, sets: readonly ReplicaSet[]): string[] {
  if (controllerOf(pod.metadata)) return [];
  return sets
    .filter(({ spec }) => matches(selectorOf(spec.selector), pod))
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
}

/** The pods to delete when scaling down. */
export function podsToDelete(active: readonly Pod[], related: readonly Pod[], count: number, now: number): readonly Pod[] {
  if (count >= active.length) return active;
  const crowds = new Map<string, number>();
  for (const { spec } of related) crowds.set(spec?.nodeName ?? '', (crowds.get(spec?.nodeName ?? '') ?? 0) + 1);
  const crowd = ({ spec }: Pod) => crowds.get(spec?.nodeName ?? '') ?? 0;
  return [...active].sort(deletionOrder(crowd, now)).slice(0, count);
}

function statusOf(
  set: ReplicaSet,
  active: readonly Pod[],
  terminating: number,
  failure: Error | undefined,
  now: number,
): appsV1.ReplicaSetStatus {
  const labels = Object.entries(set.spec.template?.metadata?.labels ?? {});
  const isFullyLabeled = (pod: Pod) => labels.every(([key, value]) => pod.metadata.labels?.[key] === value);
  const available = active.filter((pod) => isAvailable(pod, set.spec.minReadySeconds ?? 0, now)).length;
  return {
    replicas: active.length,
    fullyLabeledReplicas: omitZero(active.filter(isFullyLabeled).length),
    readyReplicas: omitZero(active.filter(isReady).length),
    availableReplicas: omitZero(available),
    terminatingReplicas: terminating,
    observedGeneration: set.metadata.generation,
    conditions: conditionsOf(set, active.length, failure, now),
  } as appsV1.ReplicaSetStatus;
}

/** The condition ReplicaFailure stays as it is while pods cannot be created or deleted. */
function conditionsOf(
  set: ReplicaSet,
  active: number,
  failure: Error | undefined,
  now: number,
): appsV1.ReplicaSetCondition[] | undefined {
  const conditions = set.status?.conditions ?? [];
  const others = conditions.filter(({ type }) => type !== 'ReplicaFailure');
  if (!failure) return others.length > 0 ? others : undefined;
  if (others.length < conditions.length) return conditions;
  const reason = active < (set.spec.replicas ?? 1) ? 'FailedCreate' : 'FailedDelete';
  const lastTransitionTime = formatTime(now);
  return [...others, { type: 'ReplicaFailure', status: 'True', lastTransitionTime, reason, message: failure.message }];
}
