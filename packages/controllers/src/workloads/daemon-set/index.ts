import type { appsV1, coreV1 } from '@tsukube/api/kinds';
import type { Cluster } from '../cluster/cluster.ts';
import { runController, type WorkloadController } from '../cluster/controller.ts';
import { eventRecorder } from '../cluster/events.ts';
import { getOrCreate } from '../cluster/lister.ts';
import { isSame, omitZero } from '../cluster/values.ts';
import { revisionLabel, syncHistory, truncateHistory } from '../pods/controller-revisions.ts';
import { claim, selectorOf } from '../pods/ownership.ts';
import { createPod, deletePod, isTerminatingNamespace, slowStart } from '../pods/pod-control.ts';
import { isAvailable, isFinished, isReady, nextAvailability } from '../pods/pod-state.ts';
import { daemonPod, nodeFit, targetNodeOf } from './pods.ts';

type DaemonSet = appsV1.DaemonSet;
type Pod = coreV1.Pod;
type Node = coreV1.Node;

/** Runs one pod of each DaemonSet on every node that it matches. */
export function daemonSetController(cluster: Cluster): WorkloadController {
  const sets = cluster.objects('daemonsets');
  const pods = cluster.objects('pods');
  const nodes = cluster.objects('nodes');
  const events = eventRecorder(cluster, 'daemonset-controller');
  const reconcile = async (namespace: string, name: string): Promise<number | undefined> => {
    const set = sets.get(namespace, name);
    if (!set) return undefined;
    const claimed = await claim(cluster, 'pods', set, selectorOf(set.spec?.selector));
    const history = await syncHistory(cluster, set, {
      labels: set.spec?.template.metadata?.labels ?? {},
      annotations: set.metadata.annotations,
      hashLabel: revisionLabel,
    });
    const revision = history.current.metadata.labels?.[revisionLabel] ?? '';
    const now = cluster.now();
    if (set.metadata.deletionTimestamp === undefined) {
      const plan = planDaemons(set, nodes.list(), claimed, revision, now);
      for (const pod of plan.failed) {
        const message = `Found failed daemon pod ${namespace}/${pod.metadata.name} on node ${targetNodeOf(pod)}, will try to kill it`;
        events.warning(set, 'FailedDaemonPod', message);
      }
      await Promise.all([...plan.failed, ...plan.deleted].map((pod) => deletePod(cluster, events, set, pod)));
      const create = (i: number) => createPod(cluster, events, set, daemonPod(set, plan.created[i] ?? '', revision));
      await slowStart(plan.created.length, create).catch((error) => {
        if (!isTerminatingNamespace(error)) throw error;
      });
    }
    const status = statusOf(
      set,
      nodes.list(),
      pods.list(namespace).filter((pod) => isOwned(set, pod)),
      revision,
      now,
    );
    if (!isSame(status, set.status)) await cluster.update('daemonsets', { ...set, status }, 'status');
    const used = new Set(claimed.map(({ metadata }) => metadata.labels?.[revisionLabel]));
    const inUse = new Set(
      history.all.filter(({ metadata }) => used.has(metadata.labels?.[revisionLabel])).map(({ metadata }) => metadata.name),
    );
    await truncateHistory(cluster, history, inUse.add(history.current.metadata.name), set.spec?.revisionHistoryLimit ?? 10);
    return nextAvailability(claimed, set.spec?.minReadySeconds ?? 0, now);
  };
  const controller = runController(cluster, { of: sets, reconcile });
  controller.owns(pods, 'DaemonSet');
  let fits = '';
  nodes.subscribe(() => {
    // Heartbeats of nodes change nothing.
    const now = JSON.stringify(
      nodes.list().map(({ metadata, spec }) => [metadata.name, metadata.labels, spec?.taints, spec?.unschedulable]),
    );
    if (now === fits) return;
    fits = now;
    for (const { metadata } of sets.list()) controller.enqueue(metadata.namespace ?? '', metadata.name ?? '');
  });
  return controller;
}

function isOwned(set: DaemonSet, { metadata }: Pod): boolean {
  return metadata.ownerReferences?.some(({ uid, controller }) => controller && uid === set.metadata.uid) ?? false;
}

export interface DaemonPlan {
  /** Names of nodes that need a pod. */
  readonly created: readonly string[];
  readonly deleted: readonly Pod[];
  /** Pods to replace because they have ended. */
  readonly failed: readonly Pod[];
}

export function podsByNode(pods: readonly Pod[]): Map<string, Pod[]> {
  const byNode = new Map<string, Pod[]>();
  for (const pod of pods) getOrCreate(byNode, targetNodeOf(pod) ?? '', () => []).push(pod);
  return byNode;
}

/** The pods to create and delete. During a rolling update, at most maxUnavailable nodes are without an available pod. */
export function planDaemons(
  set: DaemonSet,
  nodes: readonly Node[],
  pods: readonly Pod[],
  revision: string,
  now: number,
): DaemonPlan {
  const byNode = podsByNode(pods);
  const created: string[] = [];
  const deleted: Pod[] = [];
  const failed: Pod[] = [];
  const isLive = ({ metadata }: Pod) => metadata.deletionTimestamp === undefined;
  for (const node of nodes) {
    const name = node.metadata.name ?? '';
    const own = byNode.get(name) ?? [];
    byNode.delete(name);
    const { shouldRun, shouldContinue } = nodeFit(set, node);
    const ended = own.filter((pod) => isFinished(pod) && isLive(pod));
    if (shouldContinue) failed.push(...ended);
    if (!shouldContinue) deleted.push(...own.filter(isLive));
    else if (own.length === 0 && shouldRun) created.push(name);
    else deleted.push(...duplicates(own.filter((pod) => isLive(pod) && !isFinished(pod))));
  }
  // Pods of nodes that are gone and were never bound.
  for (const orphaned of byNode.values()) deleted.push(...orphaned.filter((pod) => isLive(pod) && !pod.spec?.nodeName));
  if (created.length + deleted.length + failed.length === 0) deleted.push(...outdated(set, nodes, pods, revision, now));
  return { created, deleted, failed };
}

/** All but the oldest; during an update an old and a new pod may share a node only with maxSurge, which is not supported. */
function duplicates(pods: readonly Pod[]): Pod[] {
  return [...pods]
    .sort((a, b) => ((a.metadata.creationTimestamp ?? '') < (b.metadata.creationTimestamp ?? '') ? -1 : 1))
    .slice(1);
}

function outdated(set: DaemonSet, nodes: readonly Node[], pods: readonly Pod[], revision: string, now: number): Pod[] {
  if (set.spec?.updateStrategy?.type === 'OnDelete') return [];
  const wanted = nodes.filter((node) => nodeFit(set, node).shouldRun).length;
  const limit = maxUnavailableOf(set, wanted);
  const isUp = (pod: Pod) =>
    pod.metadata.deletionTimestamp === undefined && isAvailable(pod, set.spec?.minReadySeconds ?? 0, now);
  const old = pods.filter(
    ({ metadata }) => metadata.labels?.[revisionLabel] !== revision && metadata.deletionTimestamp === undefined,
  );
  const down = old.filter((pod) => !isUp(pod));
  const room = Math.max(0, limit - (wanted - pods.filter(isUp).length));
  return [...down, ...old.filter(isUp).slice(0, room)];
}

function maxUnavailableOf({ spec }: DaemonSet, wanted: number): number {
  const value = spec?.updateStrategy?.rollingUpdate?.maxUnavailable ?? 1;
  return Math.max(1, typeof value === 'number' ? value : Math.ceil((Number(value.replace(/%$/, '')) * wanted) / 100));
}

function statusOf(
  set: DaemonSet,
  nodes: readonly Node[],
  pods: readonly Pod[],
  revision: string,
  now: number,
): appsV1.DaemonSetStatus {
  const byNode = podsByNode(pods);
  const wanted = nodes.filter((node) => nodeFit(set, node).shouldRun);
  const misplaced = nodes.filter((node) => !nodeFit(set, node).shouldRun && byNode.has(node.metadata.name ?? ''));
  const oldest = wanted.map(({ metadata }) => byNode.get(metadata.name ?? '')?.[0]).filter((pod) => pod !== undefined);
  const available = oldest.filter((pod) => isAvailable(pod, set.spec?.minReadySeconds ?? 0, now)).length;
  return {
    currentNumberScheduled: oldest.length,
    numberMisscheduled: misplaced.length,
    desiredNumberScheduled: wanted.length,
    numberReady: oldest.filter(isReady).length,
    observedGeneration: set.metadata.generation,
    updatedNumberScheduled: omitZero(oldest.filter(({ metadata }) => metadata.labels?.[revisionLabel] === revision).length),
    numberAvailable: omitZero(available),
    numberUnavailable: omitZero(wanted.length - available),
    collisionCount: set.status?.collisionCount,
    conditions: set.status?.conditions,
  };
}
