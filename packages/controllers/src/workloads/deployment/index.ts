import type { appsV1 } from '@tsukube/api/kinds';
import { StatusError } from '@tsukube/machinery';
import type { Cluster } from '../cluster/cluster.ts';
import { runController, type WorkloadController } from '../cluster/controller.ts';
import { eventRecorder, type WorkloadEventRecorder } from '../cluster/events.ts';
import { isSame } from '../cluster/values.ts';
import { claim, controllerUid, selectorOf } from '../pods/ownership.ts';
import { isTerminatingNamespace } from '../pods/pod-control.ts';
import { isFinished } from '../pods/pod-state.ts';
import {
  annotationsOf,
  desiredReplicas,
  findNewReplicaSet,
  hasTemplate,
  maxRevision,
  newReplicaSet,
  replicasAnnotations,
  replicasOf,
  revisionAnnotation,
  revisionOf,
  sum,
} from './replica-sets.ts';
import { isInUse, newSetReplicas, type Scaling, scaleAll, scaleDownOld } from './scaling.ts';
import {
  condition,
  countedStatus,
  deploymentConditionOf,
  hasDeadline,
  isRolledOut,
  rolloutStatus,
  untilProgressDeadline,
  withDeploymentCondition,
} from './status.ts';

type Deployment = appsV1.Deployment;
type ReplicaSet = appsV1.ReplicaSet;

/** Rolls out Deployments by scaling ReplicaSets, one for each pod template. */
export function deploymentController(cluster: Cluster): WorkloadController {
  const deployments = cluster.objects('deployments');
  const sets = cluster.objects('replicasets');
  const pods = cluster.objects('pods');
  const podsOf = pods.index(controllerUid);
  const events = eventRecorder(cluster, 'deployment-controller');
  const runningPods = (set: ReplicaSet) => podsOf(set.metadata.uid ?? '').filter((pod) => !isFinished(pod)).length;
  const reconcile = async (namespace: string, name: string): Promise<number | undefined> => {
    const found = deployments.get(namespace, name);
    if (!found) return undefined;
    const claimed = await claim(cluster, 'replicasets', found, selectorOf(found.spec.selector));
    return new Sync(cluster, events, found, claimed, runningPods).run();
  };
  const controller = runController(cluster, { of: deployments, reconcile });
  controller.owns(sets, 'Deployment');
  // A Recreate Deployment waits for the last pod of its old ReplicaSets.
  controller.watches(pods, (pod) => {
    const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller);
    const set = owner?.kind === 'ReplicaSet' ? sets.get(pod.metadata.namespace ?? '', owner.name) : undefined;
    const deployment = set?.metadata.ownerReferences?.find(({ controller }) => controller);
    const found = deployment && deployments.get(pod.metadata.namespace ?? '', deployment.name);
    return found?.spec.strategy?.type === 'Recreate' ? [`${pod.metadata.namespace}/${deployment?.name}`] : [];
  });
  return controller;
}

/** One reconciliation of a Deployment. Its steps update `deployment` and the ReplicaSets to what they wrote. */
class Sync {
  readonly #cluster: Cluster;
  readonly #events: WorkloadEventRecorder;
  readonly #runningPods: (set: ReplicaSet) => number;
  #deployment: Deployment;
  #sets: ReplicaSet[];

  constructor(
    cluster: Cluster,
    events: WorkloadEventRecorder,
    deployment: Deployment,
    sets: ReplicaSet[],
    runningPods: (set: ReplicaSet) => number,
  ) {
    this.#cluster = cluster;
    this.#events = events;
    this.#deployment = deployment;
    this.#sets = sets;
    this.#runningPods = runningPods;
  }

  async run(): Promise<number | undefined> {
    const { metadata, spec } = this.#deployment;
    if (metadata.deletionTimestamp !== undefined) return this.#writeStatus(this.#counted());
    await this.#markPaused();
    if (spec.paused) return this.#syncPaused();
    if (await this.#isScalingEvent()) return this.#syncScale();
    return spec.strategy?.type === 'Recreate' ? this.#recreate() : this.#rollingUpdate();
  }

  get #newSet(): ReplicaSet | undefined {
    return findNewReplicaSet(this.#deployment, this.#sets);
  }

  get #oldSets(): ReplicaSet[] {
    const newSet = this.#newSet;
    return this.#sets.filter((set) => set !== newSet);
  }

  /** A paused Deployment still scales, and cleans up. */
  async #syncPaused(): Promise<number | undefined> {
    const result = await this.#syncScale();
    if (this.#sets.length > 0) await this.#cleanUp();
    return result;
  }

  async #syncScale(): Promise<number | undefined> {
    await this.#syncRevision(false);
    await this.#scale(scaleAll(this.#deployment, this.#newSet, this.#oldSets));
    return this.#writeStatus(this.#counted());
  }

  async #rollingUpdate(): Promise<number | undefined> {
    const newSet = await this.#syncRevision(true);
    if (!newSet) return undefined;
    const current = replicasOf(newSet);
    const desired = replicasOf(this.#deployment);
    const replicas = current > desired ? desired : newSetReplicas(this.#deployment, this.#oldSets, current);
    const isScaled = await this.#scale(replicas === current ? [] : [{ set: newSet, replicas }]);
    if (isScaled || (await this.#scale(scaleDownOld(this.#deployment, newSet, this.#oldSets)))) return this.#writeRolloutStatus();
    if (isRolledOut(this.#deployment, this.#deployment.status)) await this.#cleanUp();
    return this.#writeRolloutStatus();
  }

  async #recreate(): Promise<number | undefined> {
    await this.#syncRevision(false);
    const old = this.#oldSets;
    if (await this.#scale(old.filter(isInUse).map((set) => ({ set, replicas: 0 })))) return this.#writeRolloutStatus();
    const isRunning = sum(old, ({ status }) => status?.replicas) > 0 || sum(old, this.#runningPods) > 0;
    if (isRunning) return this.#writeRolloutStatus();
    const newSet = await this.#syncRevision(true);
    if (!newSet) return undefined;
    const replicas = replicasOf(this.#deployment);
    await this.#scale(replicasOf(newSet) === replicas ? [] : [{ set: newSet, replicas }]);
    if (isRolledOut(this.#deployment, this.#deployment.status)) await this.#cleanUp();
    return this.#writeRolloutStatus();
  }

  async #isScalingEvent(): Promise<boolean> {
    await this.#syncRevision(false);
    const desired = replicasOf(this.#deployment);
    return this.#sets.filter(isInUse).some((set) => (desiredReplicas(set) ?? desired) !== desired);
  }

  /** Updates the annotations of the new ReplicaSet, or creates it. Resolves to it, or undefined if it does not exist. */
  async #syncRevision(mayCreate: boolean): Promise<ReplicaSet | undefined> {
    const revision = maxRevision(this.#oldSets) + 1;
    const found = this.#newSet;
    if (!found) return mayCreate ? this.#createSet(revision) : undefined;
    const annotations = annotationsOf(this.#deployment, found, revision);
    const minReadySeconds = this.#deployment.spec.minReadySeconds;
    if (!isSame(annotations, found.metadata.annotations ?? {}) || found.spec.minReadySeconds !== minReadySeconds) {
      const spec = { ...found.spec, minReadySeconds } as ReplicaSet['spec'];
      return this.#updateSet(found, { ...found, metadata: { ...found.metadata, annotations }, spec });
    }
    const isUnknown = hasDeadline(this.#deployment) && !deploymentConditionOf(this.#deployment.status, 'Progressing');
    const message = `Found new replica set "${found.metadata.name}"`;
    const progress = isUnknown ? this.#condition('True', 'FoundNewReplicaSet', message) : undefined;
    await this.#markRevision(String(revisionOf(found)), progress);
    return found;
  }

  async #createSet(revision: number): Promise<ReplicaSet | undefined> {
    const body = newReplicaSet(this.#deployment);
    body.spec.replicas = newSetReplicas(this.#deployment, this.#sets, 0);
    body.metadata.annotations = { ...annotationsOf(this.#deployment, body, revision), ...replicasAnnotations(this.#deployment) };
    const created = await this.#cluster.create('replicasets', body).catch((error) => this.#creationFailed(body, error));
    if (!created) return undefined;
    if (!this.#sets.includes(created)) this.#sets = [...this.#sets, created];
    const name = created.metadata.name;
    if (replicasOf(created) > 0) this.#scaledEvent('up', created, 0, replicasOf(created));
    const progress = this.#condition('True', 'NewReplicaSetCreated', `Created new replica set "${name}"`);
    await this.#markRevision(String(revision), hasDeadline(this.#deployment) ? progress : undefined);
    return created;
  }

  /** A ReplicaSet of that name with another template is a hash collision: the count makes the next hash another one. */
  async #creationFailed({ metadata }: Pick<ReplicaSet, 'metadata'>, error: unknown): Promise<ReplicaSet | undefined> {
    if (isTerminatingNamespace(error)) throw error;
    if (error instanceof StatusError && error.status.reason === 'AlreadyExists') {
      const existing = this.#cluster.objects('replicasets').get(metadata.namespace ?? '', metadata.name ?? '');
      if (existing && controllerUid(existing) === this.#deployment.metadata.uid && hasTemplate(existing, this.#deployment))
        return existing;
      const collisionCount = (this.#deployment.status?.collisionCount ?? 0) + 1;
      await this.#update({ ...this.#deployment, status: { ...this.#deployment.status, collisionCount } });
      throw error;
    }
    const message = `Failed to create new replica set "${metadata.name}": ${(error as Error).message}`;
    if (hasDeadline(this.#deployment)) await this.#setCondition(this.#condition('False', 'ReplicaSetCreateError', message));
    this.#events.warning(this.#deployment, 'ReplicaSetCreateError', message);
    throw error;
  }

  #condition(status: string, reason: string, message: string): appsV1.DeploymentCondition {
    return condition('Progressing', status, reason, message, this.#cluster.now());
  }

  /** Conditions record since when progress is suspended. */
  async #markPaused(): Promise<void> {
    const current = deploymentConditionOf(this.#deployment.status, 'Progressing');
    const isPaused = current?.reason === 'DeploymentPaused';
    if (!hasDeadline(this.#deployment) || current?.reason === 'ProgressDeadlineExceeded') return;
    if (this.#deployment.spec.paused && !isPaused)
      await this.#setCondition(this.#condition('Unknown', 'DeploymentPaused', 'Deployment is paused'));
    else if (!this.#deployment.spec.paused && isPaused)
      await this.#setCondition(this.#condition('Unknown', 'DeploymentResumed', 'Deployment is resumed'));
  }

  async #setCondition(next: appsV1.DeploymentCondition): Promise<void> {
    const conditions = withDeploymentCondition(this.#deployment.status?.conditions, next);
    await this.#update({ ...this.#deployment, status: { ...this.#deployment.status, conditions } });
  }

  /** Writes the revision, and the condition if there is one, into the Deployment. */
  async #markRevision(revision: string, progress: appsV1.DeploymentCondition | undefined): Promise<void> {
    const { metadata, status } = this.#deployment;
    if (metadata.annotations?.[revisionAnnotation] === revision && !progress) return;
    const annotations = { ...metadata.annotations, [revisionAnnotation]: revision };
    const conditions = progress ? withDeploymentCondition(status?.conditions, progress) : status?.conditions;
    await this.#update({
      ...this.#deployment,
      metadata: { ...metadata, annotations },
      status: { ...status, ...(conditions && { conditions }) },
    });
  }

  async #scale(scalings: readonly Scaling[]): Promise<boolean> {
    let isScaled = false;
    for (const { set, replicas, force } of scalings) {
      const before = replicasOf(set);
      const annotations = { ...set.metadata.annotations, ...replicasAnnotations(this.#deployment) };
      if (before === replicas && !(force && !isSame(annotations, set.metadata.annotations))) continue;
      await this.#updateSet(set, { ...set, metadata: { ...set.metadata, annotations }, spec: { ...set.spec, replicas } });
      if (before === replicas) continue;
      isScaled = true;
      this.#scaledEvent(before < replicas ? 'up' : 'down', set, before, replicas);
    }
    return isScaled;
  }

  #scaledEvent(direction: string, { metadata }: ReplicaSet, from: number, to: number): void {
    const message = `Scaled ${direction} replica set ${metadata.name} from ${from} to ${to}`;
    this.#events.normal(this.#deployment, 'ScalingReplicaSet', message);
  }

  /** Deletes the oldest ReplicaSets beyond the history limit. */
  async #cleanUp(): Promise<void> {
    const limit = this.#deployment.spec.revisionHistoryLimit;
    if (limit === undefined || limit === 2 ** 31 - 1) return;
    const old = this.#oldSets.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const surplus = old.sort((a, b) => revisionOf(a) - revisionOf(b)).slice(0, Math.max(0, old.length - limit));
    for (const set of surplus) {
      const isObserved = (set.metadata.generation ?? 0) <= (set.status?.observedGeneration ?? 0);
      if (set.status?.replicas === 0 && replicasOf(set) === 0 && isObserved)
        await this.#cluster.delete('replicasets', set, { propagationPolicy: 'Background' });
    }
  }

  #counted(): appsV1.DeploymentStatus {
    return countedStatus(this.#deployment, this.#sets, this.#newSet, this.#cluster.now());
  }

  #writeRolloutStatus(): Promise<number | undefined> {
    return this.#writeStatus(rolloutStatus(this.#deployment, this.#sets, this.#newSet, this.#cluster.now()));
  }

  async #writeStatus(status: appsV1.DeploymentStatus): Promise<number | undefined> {
    if (isSame(status, this.#deployment.status)) return untilProgressDeadline(this.#deployment, status, this.#cluster.now());
    await this.#update({ ...this.#deployment, status });
    return undefined;
  }

  async #update(deployment: Deployment): Promise<void> {
    this.#deployment = await this.#cluster.update('deployments', deployment, 'status');
  }

  async #updateSet(old: ReplicaSet, next: ReplicaSet): Promise<ReplicaSet> {
    const updated = await this.#cluster.update('replicasets', next);
    this.#sets = this.#sets.map((set) => (set === old ? updated : set));
    return updated;
  }
}
