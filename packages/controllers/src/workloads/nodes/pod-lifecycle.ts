import type { coreV1 } from '@tsukube/api/kinds';
import { formatTime } from '@tsukube/machinery';
import { isFinished } from '../pods/pod-state.ts';
import { type PodPlan, planOf } from './pod-plan.ts';

type Pod = coreV1.Pod;
type ContainerState = coreV1.ContainerState;

/** The next step of a pod on a simulated node. */
export type PodLifecycleStep =
  | { readonly do: 'update'; readonly status: coreV1.PodStatus }
  /** The containers have stopped: the pod is removed. */
  | { readonly do: 'remove' }
  /** Nothing changes before that time; undefined: until the pod changes. */
  | { readonly do: 'wait'; readonly untilMs?: number };

export interface Host {
  readonly hostIP: string;
  readonly podIP: string;
}

/** Backoff of containers that crash, as a kubelet's. */
const firstBackoffMs = 10_000;
const maxBackoffMs = 300_000;

/** Decides from the state of the pod alone, so that the simulation resumes after a restart. */
export function nextStep(pod: Pod, host: Host, now: number): PodLifecycleStep {
  const plan = planOf(pod);
  const { deletionTimestamp } = pod.metadata;
  if (deletionTimestamp !== undefined) return stopping(pod, plan, Date.parse(deletionTimestamp), now);
  if (isFinished(pod)) return { do: 'wait' };
  if (!pod.status?.startTime) return update(pod, admitted(pod, plan, host, now));
  if (plan.pending !== undefined) return { do: 'wait' };
  const [container] = pod.status.containerStatuses ?? [];
  if (container?.state?.running) return running(pod, plan, Date.parse(container.state.running.startedAt ?? ''), now);
  if (container?.state?.waiting?.reason === 'CrashLoopBackOff') return crashed(pod, container, host, now);
  return waitOr(Date.parse(pod.status.startTime) + plan.startMs, now, plan.startMs, () => update(pod, started(pod, host, now)));
}

/** Times have a resolution of seconds, so a wait of less than a second is over at once. */
function waitOr(at: number, now: number, ms: number, step: () => PodLifecycleStep): PodLifecycleStep {
  return ms === 0 || at <= now ? step() : { do: 'wait', untilMs: at };
}

function update(pod: Pod, status: coreV1.PodStatus): PodLifecycleStep {
  return { do: 'update', status: { ...pod.status, ...status } };
}

function running(pod: Pod, plan: PodPlan, startedAt: number, now: number): PodLifecycleStep {
  const exitAt = startedAt + plan.runMs;
  if (Number.isFinite(plan.runMs) && (plan.runMs === 0 || exitAt <= now)) return update(pod, exited(pod, plan.exitCode, now));
  const isReady = pod.status?.containerStatuses?.every(({ ready }) => ready) ?? false;
  const readyAt = startedAt + plan.readyMs;
  if (!isReady && Number.isFinite(plan.readyMs) && (plan.readyMs === 0 || readyAt <= now)) return update(pod, ready(pod, now));
  const gated = conditions(pod, { Ready: isReady, ContainersReady: isReady }, now);
  if (isReady && hasChanged(pod, gated)) return update(pod, { conditions: gated });
  const next = Math.min(exitAt, isReady ? Number.POSITIVE_INFINITY : readyAt);
  return Number.isFinite(next) ? { do: 'wait', untilMs: next } : { do: 'wait' };
}

/** Readiness gates may have changed the condition Ready. */
function hasChanged(pod: Pod, next: readonly coreV1.PodCondition[]): boolean {
  const old = pod.status?.conditions ?? [];
  return next.some(({ type, status }) => old.find((known) => known.type === type)?.status !== status);
}

/** The pod has arrived at the node: its containers are being created. */
function admitted(pod: Pod, { pending }: PodPlan, { hostIP }: Host, now: number): coreV1.PodStatus {
  const hasInit = (pod.spec?.initContainers ?? []).length > 0;
  const reason = pending ?? (hasInit ? 'PodInitializing' : 'ContainerCreating');
  const waiting = { waiting: { reason, ...(pending !== undefined && { message: `simulated: ${pending}` }) } };
  return {
    phase: 'Pending',
    startTime: formatTime(now),
    hostIP,
    hostIPs: [{ ip: hostIP }],
    conditions: conditions(
      pod,
      { PodReadyToStartContainers: false, Initialized: !hasInit, Ready: false, ContainersReady: false, PodScheduled: true },
      now,
    ),
    ...(hasInit && { initContainerStatuses: statuses(pod, pod.spec?.initContainers, waiting, false) }),
    containerStatuses: statuses(pod, pod.spec?.containers, waiting, false),
    observedGeneration: pod.metadata.generation,
  };
}

function started(pod: Pod, { hostIP, podIP }: Host, now: number): coreV1.PodStatus {
  const time = formatTime(now);
  const plan = planOf(pod);
  const isReady = plan.readyMs === 0 && plan.runMs > 0;
  const ip = pod.spec?.hostNetwork ? hostIP : podIP;
  const initContainers = pod.spec?.initContainers ?? [];
  const init = initContainers.map((container) => {
    const isSidecar = container.restartPolicy === 'Always';
    const state = isSidecar ? { running: { startedAt: time } } : { terminated: terminated(0, time, time) };
    return statuses(pod, [container], state, true)[0] as coreV1.ContainerStatus;
  });
  return {
    phase: 'Running',
    podIP: ip,
    podIPs: [{ ip }],
    conditions: conditions(
      pod,
      { PodReadyToStartContainers: true, Initialized: true, Ready: isReady, ContainersReady: isReady, PodScheduled: true },
      now,
    ),
    ...(init.length > 0 && { initContainerStatuses: init }),
    containerStatuses: statuses(pod, pod.spec?.containers, { running: { startedAt: time } }, isReady),
    observedGeneration: pod.metadata.generation,
  };
}

function ready(pod: Pod, now: number): coreV1.PodStatus {
  return {
    conditions: conditions(pod, { Ready: true, ContainersReady: true }, now),
    containerStatuses: pod.status?.containerStatuses?.map((status) => ({ ...status, ready: true })) ?? [],
  };
}

/** The containers have exited: the pod ends, or they are restarted after a backoff. */
function exited(pod: Pod, exitCode: number, now: number): coreV1.PodStatus {
  const time = formatTime(now);
  const policy = pod.spec?.restartPolicy ?? 'Always';
  const isRestarted = policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
  const reason = exitCode === 0 ? 'PodCompleted' : 'PodFailed';
  const last = (status: coreV1.ContainerStatus) => ({
    terminated: terminated(exitCode, status.state?.running?.startedAt ?? time, time, status),
  });
  const waiting = { waiting: { reason: 'CrashLoopBackOff', message: 'back-off restarting failed container' } };
  const containerStatuses = (pod.status?.containerStatuses ?? []).map((status) => ({
    ...status,
    ready: false,
    started: false,
    ...(isRestarted ? { state: waiting, lastState: last(status) } : { state: last(status) }),
  }));
  if (isRestarted) {
    return {
      containerStatuses,
      conditions: conditions(pod, { Ready: false, ContainersReady: false }, now, 'ContainersNotReady'),
    };
  }
  return {
    phase: exitCode === 0 ? 'Succeeded' : 'Failed',
    containerStatuses,
    conditions: conditions(pod, { PodReadyToStartContainers: false, Ready: false, ContainersReady: false }, now, reason),
  };
}

function crashed(pod: Pod, container: coreV1.ContainerStatus, host: Host, now: number): PodLifecycleStep {
  const { restartCount, lastState } = container;
  const backoff = Math.min(firstBackoffMs * 2 ** Math.min(restartCount, 10), maxBackoffMs);
  // The first restart comes at once, as a kubelet's.
  const at = restartCount === 0 ? 0 : Date.parse(lastState?.terminated?.finishedAt ?? '') + backoff;
  return waitOr(at, now, backoff, () => update(pod, restarted(pod, host, now)));
}

function restarted(pod: Pod, host: Host, now: number): coreV1.PodStatus {
  const next = started(pod, host, now);
  const before = pod.status?.containerStatuses ?? [];
  const containerStatuses = next.containerStatuses?.map((status, i) => ({
    ...status,
    restartCount: (before[i]?.restartCount ?? 0) + 1,
    lastState: before[i]?.lastState ?? {},
  }));
  return { ...next, containerStatuses: containerStatuses ?? [] };
}

/** A deleted pod first reports that its containers have stopped, then it is removed. */
function stopping(pod: Pod, { stopMs }: PodPlan, deletedAt: number, now: number): PodLifecycleStep {
  const grace = (pod.metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  const runs = pod.status?.containerStatuses?.some(({ state }) => state?.running) ?? false;
  const stoppedAt = deletedAt - grace + Math.min(stopMs, grace);
  if (runs && stopMs > 0 && stoppedAt > now) return { do: 'wait', untilMs: stoppedAt };
  return runs ? update(pod, stopped(pod, now)) : { do: 'remove' };
}

function stopped(pod: Pod, now: number): coreV1.PodStatus {
  return { ...exited({ ...pod, spec: { ...pod.spec, restartPolicy: 'Never' } as coreV1.PodSpec }, 0, now) };
}

function terminated(
  exitCode: number,
  startedAt: string,
  finishedAt: string,
  { containerID }: { containerID?: string } = {},
): coreV1.ContainerStateTerminated {
  return { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', startedAt, finishedAt, ...(containerID && { containerID }) };
}

function statuses(
  pod: Pod,
  containers: readonly coreV1.Container[] = [],
  state: ContainerState,
  isReady: boolean,
): coreV1.ContainerStatus[] {
  const isWaiting = state.waiting !== undefined;
  return containers.map(({ name, image = '' }) => ({
    name,
    state,
    lastState: {},
    ready: isReady,
    restartCount: 0,
    image,
    imageID: isWaiting ? '' : image,
    ...(!isWaiting && { containerID: `simulated://${pod.metadata.uid}/${name}` }),
    started: state.running !== undefined,
  }));
}

type ConditionType = 'PodReadyToStartContainers' | 'Initialized' | 'Ready' | 'ContainersReady' | 'PodScheduled';
const conditionOrder: readonly ConditionType[] = [
  'PodReadyToStartContainers',
  'Initialized',
  'Ready',
  'ContainersReady',
  'PodScheduled',
];

/** The conditions of the pod with some of them set. Conditions of others stay. Ready also needs the readiness gates. */
function conditions(pod: Pod, set: Partial<Record<ConditionType, boolean>>, now: number, reason?: string): coreV1.PodCondition[] {
  const old = pod.status?.conditions ?? [];
  const isTrue = (type: string) => old.find((known) => known.type === type)?.status === 'True';
  const gates = (pod.spec?.readinessGates ?? []).every(({ conditionType }) => isTrue(conditionType));
  const own = conditionOrder.flatMap((type): coreV1.PodCondition[] => {
    const known = old.find((condition) => condition.type === type);
    const value = set[type];
    if (value === undefined) return known ? [known] : [];
    const status = value && (type !== 'Ready' || gates) ? 'True' : 'False';
    if (known?.status === status) return [{ ...known, observedGeneration: pod.metadata.generation }];
    return [newCondition(pod, type, status, now, reason)];
  });
  const others = old.filter(({ type }) => !conditionOrder.includes(type as ConditionType));
  return [...others, ...own];
}

function newCondition(
  pod: Pod,
  type: ConditionType,
  status: string,
  now: number,
  reason = 'ContainersNotReady',
): coreV1.PodCondition {
  const names = (pod.spec?.containers ?? []).map(({ name }) => name).join(' ');
  const why = { reason, ...(reason === 'ContainersNotReady' && { message: `containers with unready status: [${names}]` }) };
  const isExplained = status === 'False' && (type === 'Ready' || type === 'ContainersReady');
  return {
    type,
    status,
    lastProbeTime: null as unknown as string,
    lastTransitionTime: formatTime(now),
    observedGeneration: pod.metadata.generation,
    ...(isExplained && why),
  };
}
