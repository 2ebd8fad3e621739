import type { coreV1 } from '@tsukube/api/kinds';
import { settleRaces, WorkQueue } from '@tsukube/apiserver';
import { formatTime } from '@tsukube/machinery';
import type { Cluster } from '../cluster/cluster.ts';
import { type WorkloadController, whenSynced } from '../cluster/controller.ts';
import { eventRecorder } from '../cluster/events.ts';
import { queueKey } from '../cluster/lister.ts';
import { isFinished, podConditionOf } from '../pods/pod-state.ts';
import { isCordoned, matchesNodeAffinity, matchesTerm, untolerated } from './node-fit.ts';
import { amountsOf, hostPortsOf, NodeUsage, schedulingRequests } from './resources.ts';
import { topologyFilter } from './topology.ts';

type Node = coreV1.Node;
type Pod = coreV1.Pod;

const schedulerName = 'default-scheduler';

/**
 * Assigns pods to nodes, one after the other: to the node with the least of its resources in use among those that fit. It does
 * not preempt, and it ignores volumes.
 */
export function scheduler(everything: Cluster): Pick<WorkloadController, 'stop'> {
  const cluster = everything.as('kube-scheduler');
  const pods = cluster.objects('pods');
  const nodes = cluster.objects('nodes');
  const usage = new NodeUsage(pods);
  const synced = whenSynced(cluster);
  const events = eventRecorder(cluster, schedulerName, { actions: { Scheduled: 'Binding', FailedScheduling: 'Scheduling' } });
  /** Keys of pods for which no node fits. */
  const unschedulable = new Set<string>();

  const schedule = async (key: string): Promise<void> => {
    await synced();
    const [namespace = '', name = ''] = key.split('/');
    const pod = pods.get(namespace, name);
    if (!pod || !isWaiting(pod)) return;
    const { node, problem } = selectNode(pod, nodes.list(), usage, cluster.random);
    if (!node) return reject(pod, problem);
    const nodeName = node.metadata.name ?? '';
    usage.assume(pod, nodeName);
    try {
      await cluster.bind(pod, nodeName);
    } catch (error) {
      usage.forget(pod.metadata.uid ?? '');
      throw error;
    }
    events.normal(pod, 'Scheduled', `Successfully assigned ${key} to ${nodeName}`);
  };
  const reject = async (pod: Pod, message: string): Promise<void> => {
    unschedulable.add(queueKey(pod));
    const known = podConditionOf(pod, 'PodScheduled');
    if (known?.reason === 'Unschedulable' && known.message === message) return;
    events.warning(pod, 'FailedScheduling', message);
    const lastTransitionTime = (known?.status === 'False' && known.lastTransitionTime) || formatTime(cluster.now());
    const condition = {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message,
      lastTransitionTime,
      observedGeneration: pod.metadata.generation,
    };
    const others = pod.status?.conditions?.filter(({ type }) => type !== 'PodScheduled') ?? [];
    await cluster.update('pods', { ...pod, status: { ...pod.status, conditions: [...others, condition] } }, 'status');
  };
  const queue = new WorkQueue((key) => settleRaces(() => schedule(key)), cluster.logger, 1);
  const retryAll = (): void => {
    for (const key of unschedulable) queue.add(key);
    unschedulable.clear();
  };
  const stops = [
    pods.subscribe(({ current, previous }) => {
      if (current && isWaiting(current)) {
        if (!unschedulable.has(queueKey(current)) || current.metadata.generation !== previous?.metadata.generation)
          queue.add(queueKey(current));
        return;
      }
      const pod = current ?? previous;
      if (pod) unschedulable.delete(queueKey(pod));
      // A pod that ends frees resources; one that starts may be what others want to be near.
      retryAll();
    }),
    nodes.subscribe(retryAll),
  ];
  return {
    stop() {
      queue.stop();
      usage.stop();
      for (const stop of stops) stop();
    },
  };
}

function isWaiting(pod: Pod): boolean {
  const { spec, metadata } = pod;
  if (spec?.nodeName || metadata.deletionTimestamp !== undefined || isFinished(pod)) return false;
  return (spec?.schedulerName ?? schedulerName) === schedulerName && (spec?.schedulingGates ?? []).length === 0;
}

type Selection = { readonly node: Node; readonly problem?: undefined } | { readonly node?: undefined; readonly problem: string };

/** The best node for a pod, or why none fits, in the words of kube-scheduler. */
export function selectNode(pod: Pod, nodes: readonly Node[], usage: NodeUsage, random: () => number): Selection {
  if (nodes.length === 0) return { problem: 'no nodes available to schedule pods' };
  const excludedByPods = topologyFilter(pod, nodes, usage);
  const reasons = new Map<string, number>();
  let best: { node: Node; score: number } | undefined;
  for (const node of nodes) {
    const excluded = exclusions(pod, node, usage, excludedByPods);
    for (const reason of excluded) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    if (excluded.length > 0) continue;
    const score = scoreOf(pod, node, usage) + random() / 1000;
    if (!best || score > best.score) best = { node, score };
  }
  if (best) return { node: best.node };
  const texts = [...reasons].map(([reason, count]) => `${count} ${reason}`).sort();
  const total = `0/${nodes.length} nodes are available`;
  return {
    problem: `${total}: ${texts.join(', ')}. no new claims to deallocate, preemption: ${total}: ${preemptionText(reasons, nodes.length)}.`,
  };
}

/** Preemption helps only where resources are the problem, and here it is not attempted. */
function preemptionText(reasons: ReadonlyMap<string, number>, nodes: number): string {
  const resources = [...reasons].some(([reason]) => reason.startsWith('Insufficient') || reason === 'Too many pods');
  return `${nodes} ${resources ? 'No preemption victims found for incoming pod' : 'Preemption is not helpful for scheduling'}`;
}

/** Why a node does not fit: the reasons of the first filter that excludes it. */
function exclusions(pod: Pod, node: Node, usage: NodeUsage, excludedByPods: (node: Node) => string | undefined): string[] {
  const { spec } = pod;
  if (isCordoned(node, spec?.tolerations)) return ['node(s) were unschedulable'];
  const [taint] = untolerated(node, spec?.tolerations);
  if (taint) return [`node(s) had untolerated taint(s)`];
  if (!matchesNodeAffinity(spec, node)) return ["node(s) didn't match Pod's node affinity/selector"];
  const name = node.metadata.name ?? '';
  const taken = new Set([...usage.podsOn(name).values()].flatMap(hostPortsOf));
  if (hostPortsOf(pod).some((port) => taken.has(port))) return ["node(s) didn't have free ports for the requested pod ports"];
  const lacking = insufficient(pod, node, usage);
  if (lacking.length > 0) return lacking;
  const reason = excludedByPods(node);
  return reason === undefined ? [] : [reason];
}

function insufficient(pod: Pod, node: Node, usage: NodeUsage): string[] {
  const allocatable = amountsOf(node.status?.allocatable);
  const used = usage.requestsOn(node.metadata.name ?? '');
  const lacking = [...schedulingRequests(pod)].filter(
    ([name, amount]) => amount > 0 && (used.get(name) ?? 0) + amount > (allocatable.get(name) ?? 0),
  );
  return lacking.map(([name]) => (name === 'pods' ? 'Too many pods' : `Insufficient ${name}`));
}

/** From 0 to about 1: free cpu, memory and pods, and the weights of preferred affinity. */
function scoreOf(pod: Pod, node: Node, usage: NodeUsage): number {
  const allocatable = amountsOf(node.status?.allocatable);
  const used = usage.requestsOn(node.metadata.name ?? '');
  const requests = schedulingRequests(pod);
  const free = ['cpu', 'memory', 'pods'].map((name) => {
    const total = allocatable.get(name) ?? 0;
    return total === 0 ? 0 : 1 - ((used.get(name) ?? 0) + (requests.get(name) ?? 0)) / total;
  });
  const preferred = pod.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const weight = preferred.reduce((sum, { weight, preference }) => sum + (matchesTerm(preference, node) ? weight : 0), 0);
  const isAvoided = untolerated(node, pod.spec?.tolerations, ['PreferNoSchedule']).length > 0;
  return free.reduce((sum, part) => sum + part, 0) / free.length + weight / 100 - (isAvoided ? 1 : 0);
}
