import type { appsV1 } from '@tsukube/api/kinds';
import { formatTime } from '@tsukube/machinery';
import { omitZero } from '../cluster/values.ts';
import { maxUnavailable, replicasOf, sum } from './replica-sets.ts';

type Deployment = appsV1.Deployment;
type ReplicaSet = appsV1.ReplicaSet;
type Status = appsV1.DeploymentStatus;
type Condition = appsV1.DeploymentCondition;

/** As spec.progressDeadlineSeconds of Deployments that want none. */
const noDeadline = 2 ** 31 - 1;

export function hasDeadline({ spec }: Deployment): boolean {
  return spec.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== noDeadline;
}

export function deploymentConditionOf(status: Status | undefined, type: string): Condition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

export function condition(type: string, status: string, reason: string, message: string, now: number): Condition {
  const time = formatTime(now);
  return { type, status, lastUpdateTime: time, lastTransitionTime: time, reason, message };
}

/** Replaces a condition, unless it has the same status and reason; it keeps the time of the last transition. */
export function withDeploymentCondition(conditions: readonly Condition[] = [], next: Condition): Condition[] {
  const old = conditions.find(({ type }) => type === next.type);
  if (old && old.status === next.status && old.reason === next.reason) return [...conditions];
  const { lastTransitionTime } = old?.status === next.status ? old : next;
  const others = conditions.filter(({ type }) => type !== next.type);
  return [...others, { ...next, ...(lastTransitionTime !== undefined && { lastTransitionTime }) }];
}

function withoutCondition(conditions: readonly Condition[] = [], type: string): Condition[] {
  return conditions.filter((condition) => condition.type !== type);
}

/** Replica counts and the condition Available. */
export function countedStatus(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
  newSet: ReplicaSet | undefined,
  now: number,
): Status {
  const available = sum(sets, ({ status }) => status?.availableReplicas);
  const isEnough = available >= replicasOf(deployment) - maxUnavailable(deployment);
  const availability = isEnough
    ? condition('Available', 'True', 'MinimumReplicasAvailable', 'Deployment has minimum availability.', now)
    : condition('Available', 'False', 'MinimumReplicasUnavailable', 'Deployment does not have minimum availability.', now);
  const isCounted = sets.length > 0 && sets.every(({ status }) => status?.terminatingReplicas !== undefined);
  return {
    observedGeneration: deployment.metadata.generation,
    replicas: omitZero(sum(sets, ({ status }) => status?.replicas)),
    updatedReplicas: omitZero(newSet?.status?.replicas ?? 0),
    readyReplicas: omitZero(sum(sets, ({ status }) => status?.readyReplicas)),
    availableReplicas: omitZero(available),
    unavailableReplicas: omitZero(Math.max(0, sum(sets, replicasOf) - available)),
    terminatingReplicas: isCounted ? sum(sets, ({ status }) => status?.terminatingReplicas) : undefined,
    collisionCount: deployment.status?.collisionCount,
    conditions: withDeploymentCondition(deployment.status?.conditions, availability),
  } as Status;
}

/** The status with the conditions Progressing and ReplicaFailure. */
export function rolloutStatus(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
  newSet: ReplicaSet | undefined,
  now: number,
): Status {
  const counted = countedStatus(deployment, sets, newSet, now);
  const progressed = { ...counted, conditions: progressConditions(deployment, counted, newSet, now) };
  const failure = failureOf(sets, newSet);
  const { conditions } = progressed;
  return {
    ...progressed,
    conditions: failure ? withDeploymentCondition(conditions, failure) : withoutCondition(conditions, 'ReplicaFailure'),
  };
}

function progressConditions(deployment: Deployment, status: Status, newSet: ReplicaSet | undefined, now: number): Condition[] {
  const { conditions } = status;
  if (!hasDeadline(deployment)) return withoutCondition(conditions, 'Progressing');
  const current = deploymentConditionOf(deployment.status, 'Progressing');
  const isDone = (status.replicas ?? 0) === (status.updatedReplicas ?? 0) && current?.reason === 'NewReplicaSetAvailable';
  if (isDone) return conditions ?? [];
  const subject = newSet ? `ReplicaSet "${newSet.metadata.name}"` : `Deployment "${deployment.metadata.name}"`;
  const progressing = (value: string, reason: string, text: string) =>
    condition('Progressing', value, reason, `${subject} ${text}`, now);
  if (isRolledOut(deployment, status))
    return withDeploymentCondition(conditions, progressing('True', 'NewReplicaSetAvailable', 'has successfully progressed.'));
  if (isProgressing(deployment, status)) {
    const next = progressing('True', 'ReplicaSetUpdated', 'is progressing.');
    const { lastTransitionTime } = current?.status === 'True' ? current : next;
    const others = withoutCondition(conditions, 'Progressing');
    return [...others, { ...next, ...(lastTransitionTime !== undefined && { lastTransitionTime }) }];
  }
  if (isTimedOut(deployment, status, now))
    return withDeploymentCondition(conditions, progressing('False', 'ProgressDeadlineExceeded', 'has timed out progressing.'));
  return conditions ?? [];
}

/** Whether all replicas are updated and available, and no old ones run. */
export function isRolledOut(deployment: Deployment, status: Status = {}): boolean {
  const desired = replicasOf(deployment);
  const counts = [status.updatedReplicas, status.replicas, status.availableReplicas];
  return (
    counts.every((count) => (count ?? 0) === desired) && (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

function isProgressing({ status: old = {} }: Deployment, status: Status): boolean {
  const outdated = (of: Status) => (of.replicas ?? 0) - (of.updatedReplicas ?? 0);
  return (
    (status.updatedReplicas ?? 0) > (old.updatedReplicas ?? 0) ||
    outdated(status) < outdated(old) ||
    (status.readyReplicas ?? 0) > (old.readyReplicas ?? 0) ||
    (status.availableReplicas ?? 0) > (old.availableReplicas ?? 0)
  );
}

function isTimedOut({ spec }: Deployment, status: Status, now: number): boolean {
  const current = deploymentConditionOf(status, 'Progressing');
  if (!current || current.reason === 'NewReplicaSetAvailable') return false;
  if (current.reason === 'ProgressDeadlineExceeded') return true;
  return Date.parse(current.lastUpdateTime ?? '') + (spec.progressDeadlineSeconds ?? 0) * 1000 < now;
}

/** Milliseconds until the progress deadline is to be checked; undefined if it need not be. */
export function untilProgressDeadline(deployment: Deployment, status: Status, now: number): number | undefined {
  const current = deploymentConditionOf(deployment.status, 'Progressing');
  if (!hasDeadline(deployment) || !current) return undefined;
  if (isRolledOut(deployment, status) || current.reason === 'ProgressDeadlineExceeded') return undefined;
  const deadline = Date.parse(current.lastUpdateTime ?? '') + (deployment.spec.progressDeadlineSeconds ?? 0) * 1000;
  return Math.max(0, deadline - now) + 1000;
}

/** A failure of the new ReplicaSet, or else of any. */
function failureOf(sets: readonly ReplicaSet[], newSet: ReplicaSet | undefined): Condition | undefined {
  for (const set of newSet ? [newSet, ...sets] : sets) {
    const found = set.status?.conditions?.find(({ type }) => type === 'ReplicaFailure');
    if (found) return { ...found, ...(found.lastTransitionTime && { lastUpdateTime: found.lastTransitionTime }) };
  }
  return undefined;
}
