import type { appsV1 } from '@tsukube/api/kinds';
import { byCreation, isRollingUpdate, maxReplicas, maxSurge, maxUnavailable, replicasOf, sum } from './replica-sets.ts';

type Deployment = appsV1.Deployment;
type ReplicaSet = appsV1.ReplicaSet;

/** A ReplicaSet and the number of replicas it shall have. `force` updates its annotations too. */
export interface Scaling {
  readonly set: ReplicaSet;
  readonly replicas: number;
  readonly force?: boolean;
}

export function isInUse(set: ReplicaSet): boolean {
  return replicasOf(set) > 0;
}

/** The replicas that the new ReplicaSet may have now. */
export function newSetReplicas(deployment: Deployment, others: readonly ReplicaSet[], current: number): number {
  const desired = replicasOf(deployment);
  if (!isRollingUpdate(deployment)) return desired;
  const total = sum(others, replicasOf) + current;
  const room = desired + maxSurge(deployment) - total;
  return room <= 0 ? current : current + Math.min(room, desired - current);
}

/** How far the old ReplicaSets can be scaled down in a rolling update: unhealthy replicas first, then down to the minimum of available ones. */
export function scaleDownOld(deployment: Deployment, newSet: ReplicaSet, old: readonly ReplicaSet[]): Scaling[] {
  const minAvailable = replicasOf(deployment) - maxUnavailable(deployment);
  const newUnavailable = replicasOf(newSet) - (newSet.status?.availableReplicas ?? 0);
  const active = old.filter(isInUse).sort(byCreation);
  const limit = sum([...active, newSet], replicasOf) - minAvailable - newUnavailable;
  if (active.length === 0 || limit <= 0) return [];
  const sizes = withoutUnhealthy(active, limit);
  const available = sum([...active, newSet], ({ status }) => status?.availableReplicas);
  let surplus = available - minAvailable;
  for (const [i, size] of sizes.entries()) {
    const fewer = Math.max(0, Math.min(size, surplus));
    sizes[i] = size - fewer;
    surplus -= fewer;
  }
  return active
    .map((set, i) => ({ set, replicas: sizes[i] as number }))
    .filter(({ set, replicas }) => replicas !== replicasOf(set));
}

/** The sizes of ReplicaSets without replicas that are not available, of which at most `limit` go. */
function withoutUnhealthy(sets: readonly ReplicaSet[], limit: number): number[] {
  let left = limit;
  return sets.map((set) => {
    const unhealthy = Math.max(0, replicasOf(set) - (set.status?.availableReplicas ?? 0));
    const fewer = Math.min(left, unhealthy);
    left -= fewer;
    return replicasOf(set) - fewer;
  });
}

/**
 * Scaling outside of a rollout step. One active ReplicaSet gets all replicas; several of a rolling update keep their proportions.
 */
export function scaleAll(deployment: Deployment, newSet: ReplicaSet | undefined, old: readonly ReplicaSet[]): Scaling[] {
  const newestFirst = [...old].sort(byCreation).reverse();
  const all = newSet ? [...newestFirst, newSet] : newestFirst;
  const active = all.filter(isInUse);
  const desired = replicasOf(deployment);
  const only = active.length === 1 ? active[0] : active.length === 0 ? (newSet ?? newestFirst[0]) : undefined;
  if (only) return replicasOf(only) === desired ? [] : [{ set: only, replicas: desired }];
  if (newSet && isSaturated(deployment, newSet)) return old.filter(isInUse).map((set) => ({ set, replicas: 0 }));
  return isRollingUpdate(deployment) && active.length > 0 ? proportional(deployment, active) : [];
}

function isSaturated(deployment: Deployment, set: ReplicaSet): boolean {
  const desired = replicasOf(deployment);
  return replicasOf(set) === desired && set.status?.availableReplicas === desired;
}

function proportional(deployment: Deployment, active: readonly ReplicaSet[]): Scaling[] {
  const desired = replicasOf(deployment);
  const toAdd = (desired > 0 ? desired + maxSurge(deployment) : 0) - sum(active, replicasOf);
  // The largest first; of the same size the newer ones grow first, and the older ones shrink first.
  const age = toAdd > 0 ? -1 : 1;
  const sets = [...active].sort((a, b) => replicasOf(b) - replicasOf(a) || age * byCreation(a, b));
  let added = 0;
  const scalings = sets.map((set) => {
    const share = toAdd === 0 ? 0 : shareOf(set, deployment, toAdd, added);
    added += share;
    return { set, replicas: replicasOf(set) + share, force: true };
  });
  const [largest, ...rest] = scalings;
  if (!largest || toAdd === 0) return scalings;
  return [{ ...largest, replicas: Math.max(0, largest.replicas + toAdd - added) }, ...rest];
}

/** The share of a ReplicaSet in a change of the total, of which `added` is distributed already. */
function shareOf(set: ReplicaSet, deployment: Deployment, toAdd: number, added: number): number {
  if (toAdd === added) return 0;
  const fraction = fractionOf(set, deployment);
  const left = toAdd - added;
  return toAdd > 0 ? Math.min(fraction, left) : Math.max(fraction, left);
}

function fractionOf(set: ReplicaSet, deployment: Deployment): number {
  const desired = replicasOf(deployment);
  if (desired === 0) return -replicasOf(set);
  const before = maxReplicas(set) || (deployment.status?.replicas ?? 0);
  if (before === 0) return 0;
  return Math.round((replicasOf(set) * (desired + maxSurge(deployment))) / before) - replicasOf(set);
}
