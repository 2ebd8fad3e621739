import type { appsV1, coreV1 } from '@tsukube/api/kinds';
import { StatusError } from '@tsukube/machinery';
import type { Cluster } from '../cluster/cluster.ts';
import { runController, type WorkloadController } from '../cluster/controller.ts';
import { eventRecorder, type WorkloadEventRecorder } from '../cluster/events.ts';
import { isSame, omitZero } from '../cluster/values.ts';
import { type History, revisionLabel, revisionTemplate, syncHistory, truncateHistory } from '../pods/controller-revisions.ts';
import { claim, selectorOf } from '../pods/ownership.ts';
import { isAvailable, isFinished, isReady, nextAvailability } from '../pods/pod-state.ts';
import { claimsOf, firstOrdinal, ordinalOf, statefulPod } from './pods.ts';

type StatefulSet = appsV1.StatefulSet;
type Pod = coreV1.Pod;

/** Keeps the pods of StatefulSets, each with its own identity, in order. */
export function statefulSetController(cluster: Cluster): WorkloadController {
  const sets = cluster.objects('statefulsets');
  const pods = cluster.objects('pods');
  const events = eventRecorder(cluster, 'statefulset-controller');
  cluster.objects('persistentvolumeclaims');
  const reconcile = async (namespace: string, name: string): Promise<number | undefined> => {
    const set = sets.get(namespace, name);
    if (!set) return undefined;
    const claimed = await claim(
      cluster,
      'pods',
      set,
      selectorOf(set.spec?.selector),
      (pod) => ordinalOf(set, pod.metadata.name) !== undefined,
    );
    const history = await syncHistory(cluster, set, {
      labels: set.spec?.template.metadata?.labels ?? {},
      hashLabel: 'controller.kubernetes.io/hash',
    });
    const sync = new SetSync(cluster, events, set, claimed, history);
    if (set.metadata.deletionTimestamp === undefined) await sync.reconcilePods();
    await sync.writeStatus();
    await sync.truncateHistory();
    return nextAvailability(claimed, set.spec?.minReadySeconds ?? 0, cluster.now());
  };
  const controller = runController(cluster, { of: sets, reconcile });
  controller.owns(pods, 'StatefulSet');
  return controller;
}

class SetSync {
  readonly #cluster: Cluster;
  readonly #events: WorkloadEventRecorder;
  readonly #set: StatefulSet;
  readonly #history: History;
  /** By ordinal. */
  readonly #pods: Map<number, Pod>;

  constructor(cluster: Cluster, events: WorkloadEventRecorder, set: StatefulSet, pods: readonly Pod[], history: History) {
    this.#cluster = cluster;
    this.#events = events;
    this.#set = set;
    this.#history = history;
    this.#pods = new Map(pods.map((pod) => [ordinalOf(set, pod.metadata.name) ?? -1, pod]));
  }

  get #updateRevision(): string {
    return this.#history.current.metadata.name ?? '';
  }

  /** The revision of pods that are not updated yet. */
  get #currentRevision(): string {
    const known = this.#set.status?.currentRevision ?? '';
    return this.#history.all.some(({ metadata }) => metadata.name === known) ? known : this.#updateRevision;
  }

  get #ordinals(): number[] {
    const first = firstOrdinal(this.#set);
    return Array.from({ length: this.#set.spec?.replicas ?? 1 }, (_, i) => first + i);
  }

  get #isOrdered(): boolean {
    return this.#set.spec?.podManagementPolicy !== 'Parallel';
  }

  #isAvailable(pod: Pod | undefined): boolean {
    return pod !== undefined && isAvailable(pod, this.#set.spec?.minReadySeconds ?? 0, this.#cluster.now());
  }

  /** One step if pods are ordered, as many as possible otherwise: replicas from the first on, then surplus pods, then updates. */
  async reconcilePods(): Promise<void> {
    const ordinals = this.#ordinals;
    for (const ordinal of ordinals) {
      const isSettled = await this.#ensurePod(ordinal);
      if (!isSettled && this.#isOrdered) return;
    }
    const surplus = [...this.#pods.keys()].filter((ordinal) => !ordinals.includes(ordinal)).sort((a, b) => b - a);
    for (const ordinal of surplus) {
      await this.#delete(this.#pods.get(ordinal) as Pod);
      if (this.#isOrdered) return;
    }
    if (this.#set.spec?.updateStrategy?.type !== 'OnDelete') await this.#updateNext(ordinals);
  }

  /** Creates the pod of an ordinal if it is missing. Resolves to whether the next ordinal may follow. */
  async #ensurePod(ordinal: number): Promise<boolean> {
    const pod = this.#pods.get(ordinal);
    if (pod && isFinished(pod) && pod.metadata.deletionTimestamp === undefined) {
      const { namespace, name } = this.#set.metadata;
      this.#events.warning(
        this.#set,
        'RecreatingFailedPod',
        `StatefulSet ${namespace}/${name} is recreating failed Pod ${pod.metadata.name}`,
      );
      await this.#delete(pod);
      return false;
    }
    if (pod) return pod.metadata.deletionTimestamp === undefined && this.#isAvailable(pod);
    await this.#create(ordinal);
    return false;
  }

  async #create(ordinal: number): Promise<void> {
    // Below the partition, pods keep the current revision.
    const isUpdated = ordinal >= firstOrdinal(this.#set) + this.#partition;
    const revision = isUpdated ? this.#updateRevision : this.#currentRevision;
    const found = this.#history.all.find(({ metadata }) => metadata.name === revision) ?? this.#history.current;
    const body = statefulPod(this.#set, revisionTemplate(found), revision, ordinal);
    const name = body.metadata.name ?? '';
    const { name: set } = this.#set.metadata;
    try {
      await this.#createClaims(name);
      this.#pods.set(ordinal, await this.#cluster.create('pods', body));
      this.#events.normal(this.#set, 'SuccessfulCreate', `Create Pod ${name} in StatefulSet ${set} successful`);
    } catch (error) {
      const message = `Create Pod ${name} in StatefulSet ${set} failed error: ${(error as Error).message}`;
      if (!(error instanceof StatusError && error.code === 409)) this.#events.warning(this.#set, 'FailedCreate', message);
      throw error;
    }
  }

  async #createClaims(pod: string): Promise<void> {
    for (const body of claimsOf(this.#set, pod)) {
      const { namespace = '', name = '' } = body.metadata;
      if (this.#cluster.objects('persistentvolumeclaims').get(namespace, name)) continue;
      await this.#cluster.create('persistentvolumeclaims', body);
      const message = `Create Claim ${name} Pod ${pod} in StatefulSet ${this.#set.metadata.name} success`;
      this.#events.normal(this.#set, 'SuccessfulCreate', message);
    }
  }

  async #delete(pod: Pod): Promise<void> {
    if (pod.metadata.deletionTimestamp !== undefined) return;
    await this.#cluster.delete('pods', pod, { uid: pod.metadata.uid });
    const message = `Delete Pod ${pod.metadata.name} in StatefulSet ${this.#set.metadata.name} successful`;
    this.#events.normal(this.#set, 'SuccessfulDelete', message);
  }

  get #partition(): number {
    return this.#set.spec?.updateStrategy?.rollingUpdate?.partition ?? 0;
  }

  /** Replaces the last pod with an old revision, if all pods after it are up to date and available. */
  async #updateNext(ordinals: readonly number[]): Promise<void> {
    const last = firstOrdinal(this.#set) + this.#partition;
    for (const ordinal of [...ordinals].reverse().filter((each) => each >= last)) {
      const pod = this.#pods.get(ordinal);
      if (!pod || pod.metadata.deletionTimestamp !== undefined) return;
      if (pod.metadata.labels?.[revisionLabel] !== this.#updateRevision) return this.#delete(pod);
      if (!this.#isAvailable(pod)) return;
    }
  }

  async writeStatus(): Promise<void> {
    const live = [...this.#pods.values()].filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const count = (test: (pod: Pod) => boolean) => live.filter(test).length;
    const hasRevision = (revision: string) => (pod: Pod) => pod.metadata.labels?.[revisionLabel] === revision;
    const updated = count(hasRevision(this.#updateRevision));
    const ready = count((pod) => pod.status?.phase === 'Running' && isReady(pod));
    const replicas = this.#pods.size;
    const isDone = updated === replicas && ready === replicas && this.#set.spec?.updateStrategy?.type !== 'OnDelete';
    const current = isDone ? this.#updateRevision : this.#currentRevision;
    const status = {
      observedGeneration: this.#set.metadata.generation,
      replicas,
      readyReplicas: omitZero(ready),
      currentReplicas: omitZero(count(hasRevision(current))),
      updatedReplicas: omitZero(updated),
      currentRevision: current,
      updateRevision: this.#updateRevision,
      collisionCount: this.#set.status?.collisionCount ?? 0,
      availableReplicas: count((pod) => this.#isAvailable(pod)),
    };
    if (!isSame(status, this.#set.status)) await this.#cluster.update('statefulsets', { ...this.#set, status }, 'status');
  }

  truncateHistory(): Promise<void> {
    const revisions = [...this.#pods.values()].map(({ metadata }) => metadata.labels?.[revisionLabel]);
    const inUse = new Set([...revisions, this.#updateRevision, this.#currentRevision]);
    return truncateHistory(this.#cluster, this.#history, inUse, this.#set.spec?.revisionHistoryLimit ?? 10);
  }
}
