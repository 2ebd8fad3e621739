import type { autoscalingV2, coreV1 } from '@tsukube/api/kinds';
import type { PodMetrics } from '../cluster/cluster.ts';
import { isReady } from '../pods/pod-state.ts';
import { milli } from '../scheduling/resources.ts';

type Pod = coreV1.Pod;

/** The replicas that a metric asks for, and its current value. */
export interface Recommendation {
  readonly replicas: number;
  readonly status: autoscalingV2.MetricStatus;
  /** In the words of Events and conditions. */
  readonly name: string;
}

const tolerance = 0.1;

/** Throws an Error with the message of kube-controller-manager if the metric cannot be computed. */
export function recommend(
  metric: autoscalingV2.MetricSpec,
  pods: readonly Pod[],
  metrics: readonly PodMetrics[],
  current: number,
): Recommendation {
  const source = metric.resource;
  if (metric.type !== 'Resource' || !source) throw new Error(`metrics of type ${metric.type} are not supported`);
  const { name, target } = source;
  if (pods.length === 0) throw new Error('no pods returned by selector while calculating replica count');
  const usage = new Map(metrics.map((each) => [each.name, sum(each.containers.map(({ usage: used }) => milli(used[name])))]));
  const groups = groupPods(pods, usage);
  if (groups.measured.length === 0) throw new Error('did not receive metrics for targeted pods (pods might be unready)');
  const requests = target.averageUtilization === undefined ? undefined : requestsOf(pods, name);
  const goal = target.averageUtilization === undefined ? milli(target.averageValue) : target.averageUtilization;
  const ratio = (values: ReadonlyMap<string, number>) => ratioOf(values, requests, goal);
  const values = new Map(groups.measured.map((pod) => [nameOf(pod), usage.get(nameOf(pod)) ?? 0]));
  return {
    name: requests ? `${name} resource utilization (percentage of request)` : `${name} resource`,
    replicas: replicasFor(values, groups, ratio, requests, goal, current),
    status: { type: 'Resource', resource: { name, current: currentValue(values, requests) } },
  };
}

function nameOf({ metadata }: Pod): string {
  return metadata.name ?? '';
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

interface PodGroups {
  readonly measured: readonly Pod[];
  readonly unready: readonly Pod[];
  readonly missing: readonly Pod[];
}

/** Pods that are deleted or failed are ignored. */
function groupPods(pods: readonly Pod[], usage: ReadonlyMap<string, number>): PodGroups {
  const live = pods.filter(({ metadata, status }) => metadata.deletionTimestamp === undefined && status?.phase !== 'Failed');
  const unready = live.filter((pod) => pod.status?.phase === 'Pending' || !isReady(pod));
  const ready = live.filter((pod) => !unready.includes(pod));
  return {
    unready,
    measured: ready.filter((pod) => usage.has(nameOf(pod))),
    missing: ready.filter((pod) => !usage.has(nameOf(pod))),
  };
}

function requestsOf(pods: readonly Pod[], resource: string): Map<string, number> {
  return new Map(
    pods.map((pod) => {
      const amounts = (pod.spec?.containers ?? []).map(({ name, resources }) => {
        const request = resources?.requests?.[resource];
        if (request === undefined) throw new Error(`missing request for ${resource} in container ${name} of Pod ${nameOf(pod)}`);
        return milli(request);
      });
      return [nameOf(pod), sum(amounts)] as const;
    }),
  );
}

function ratioOf(values: ReadonlyMap<string, number>, requests: ReadonlyMap<string, number> | undefined, goal: number): number {
  const total = sum(values.values());
  if (!requests) return total / values.size / goal;
  const requested = sum([...values.keys()].map((name) => requests.get(name) ?? 0));
  return (total * 100) / requested / goal;
}

/** Pods without metrics count as idle when scaling up, as busy when scaling down; unready ones as idle when scaling up. */
function replicasFor(
  values: Map<string, number>,
  { measured, unready, missing }: PodGroups,
  ratio: (values: ReadonlyMap<string, number>) => number,
  requests: ReadonlyMap<string, number> | undefined,
  goal: number,
  current: number,
): number {
  const usage = ratio(values);
  const isWithin = (value: number) => Math.abs(1 - value) <= tolerance;
  const growsUnready = unready.length > 0 && usage > 1;
  if (!growsUnready && missing.length === 0) return isWithin(usage) ? current : Math.ceil(usage * measured.length);
  const assumed = new Map(values);
  const busy = (name: string) => (requests ? ((requests.get(name) ?? 0) * Math.max(100, goal)) / 100 : goal);
  for (const pod of missing) assumed.set(nameOf(pod), usage < 1 ? busy(nameOf(pod)) : 0);
  if (growsUnready) for (const pod of unready) assumed.set(nameOf(pod), 0);
  const adjusted = ratio(assumed);
  if (isWithin(adjusted) || usage < 1 !== adjusted < 1) return current;
  const replicas = Math.ceil(adjusted * assumed.size);
  return (adjusted < 1 && replicas > current) || (adjusted > 1 && replicas < current) ? current : replicas;
}

function currentValue(
  values: ReadonlyMap<string, number>,
  requests: ReadonlyMap<string, number> | undefined,
): autoscalingV2.MetricValueStatus {
  const total = sum(values.values());
  const average = Math.floor(total / values.size);
  const averageValue = average % 1000 === 0 ? String(average / 1000) : `${average}m`;
  if (!requests) return { averageValue };
  const requested = sum([...values.keys()].map((name) => requests.get(name) ?? 0));
  return { averageUtilization: Math.floor((total * 100) / requested), averageValue };
}
