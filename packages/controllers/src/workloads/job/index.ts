import type { batchV1, coreV1 } from '@tsukube/api/kinds';
import { controllerOf, formatTime } from '@tsukube/machinery';
import type { Cluster } from '../cluster/cluster.ts';
import { runController, type WorkloadController } from '../cluster/controller.ts';
import { eventRecorder, type WorkloadEventRecorder } from '../cluster/events.ts';
import { isSame, omitZero } from '../cluster/values.ts';
import { claim, selectorOf } from '../pods/ownership.ts';
import { createPod, deletePod, isTerminatingNamespace, slowStart } from '../pods/pod-control.ts';
import { deletionOrder } from '../pods/pod-state.ts';
import { completionIndex, formatIndexes } from './indexes.ts';
import { jobPod, pendingIndexes, surplusIndexPods } from './pods.ts';
import { podFailure } from './policies.ts';
import {
  hasTracking,
  isFailed,
  type JobProgress,
  jobCondition,
  jobConditionOf,
  jobOutcome,
  onlyReplacesFailed,
  progressOf,
  trackingFinalizer,
  untilJobDeadline,
  untilReplacement,
} from './progress.ts';

type Job = batchV1.Job;
type Pod = coreV1.Pod;

const maxPodsPerSync = 500;
const thisController = 'kubernetes.io/job-controller';

/** Runs the pods of Jobs. A finalizer keeps every pod until it is counted in the status. */
export function jobController(cluster: Cluster): Pick<WorkloadController, 'stop'> {
  const jobs = cluster.objects('jobs');
  const pods = cluster.objects('pods');
  const events = eventRecorder(cluster, 'job-controller');
  const reconcile = async (namespace: string, name: string): Promise<number | undefined> => {
    const job = jobs.get(namespace, name);
    if (!job || isJobFinished(job) || (job.spec?.managedBy ?? thisController) !== thisController) return undefined;
    const claimed = await claim(cluster, 'pods', job, selectorOf(job.spec?.selector));
    return new JobSync(cluster, events, job, progressOf(job, claimed)).run();
  };
  const controller = runController(cluster, { of: jobs, reconcile });
  controller.owns(pods, 'Job');
  const orphans = runController(cluster, {
    of: pods,
    async reconcile(namespace, name) {
      const pod = pods.get(namespace, name);
      if (pod && hasTracking(pod) && isOrphan(pod)) await cluster.update('pods', withoutTracking(pod));
      return undefined;
    },
  });
  /** The Job of a pod is gone, or finished without it. */
  const isOrphan = (pod: Pod): boolean => {
    const owner = controllerOf(pod.metadata);
    const job = owner?.kind === 'Job' ? jobs.get(pod.metadata.namespace ?? '', owner.name) : undefined;
    return !job || job.metadata.uid !== owner?.uid || isJobFinished(job);
  };
  orphans.watches(jobs, ({ metadata }) =>
    pods
      .list(metadata.namespace ?? '')
      .filter((pod) => controllerOf(pod.metadata)?.uid === metadata.uid && hasTracking(pod))
      .map(({ metadata: own }) => `${own.namespace}/${own.name}`),
  );
  return {
    stop() {
      controller.stop();
      orphans.stop();
    },
  };
}

export function isJobFinished(job: Job): boolean {
  return jobConditionOf(job, 'Complete') !== undefined || jobConditionOf(job, 'Failed') !== undefined;
}

function withoutTracking(pod: Pod): Pod {
  const finalizers = pod.metadata.finalizers?.filter((finalizer) => finalizer !== trackingFinalizer) ?? [];
  return { ...pod, metadata: { ...pod.metadata, finalizers: finalizers.length > 0 ? finalizers : undefined } } as Pod;
}

/** One reconciliation of a Job. */
class JobSync {
  readonly #cluster: Cluster;
  readonly #events: WorkloadEventRecorder;
  readonly #progress: JobProgress;
  #job: Job;
  #active: number;
  #ready: number;
  #terminating: number;
  #after: number | undefined;

  constructor(cluster: Cluster, events: WorkloadEventRecorder, job: Job, progress: JobProgress) {
    this.#cluster = cluster;
    this.#events = events;
    this.#progress = progress;
    this.#job = job;
    this.#active = progress.active.length;
    this.#ready = progress.ready;
    this.#terminating = progress.terminating;
  }

  async run(): Promise<number | undefined> {
    const { suspend } = this.#job.spec ?? {};
    const status = { ...this.#job.status };
    if (!status.startTime && !suspend) status.startTime = formatTime(this.#cluster.now());
    this.#job = { ...this.#job, status };
    let outcome = jobOutcome(this.#job, this.#progress, this.#cluster.now());
    if (outcome) {
      await this.#delete(this.#progress.active);
    } else {
      if (this.#job.metadata.deletionTimestamp === undefined) await this.#manage();
      if (this.#isComplete())
        outcome = this.#condition('SuccessCriteriaMet', 'CompletionsReached', 'Reached expected number of succeeded pods');
      else this.#markSuspended();
    }
    await this.#track(outcome);
    return this.#after ?? untilJobDeadline(this.#job, this.#cluster.now());
  }

  #condition(type: string, reason: string, message: string): batchV1.JobCondition {
    return jobCondition(type, reason, message, this.#cluster.now());
  }

  #isComplete(): boolean {
    const { succeeded } = this.#progress;
    const { completions } = this.#job.spec ?? {};
    return this.#active === 0 && (completions === undefined ? succeeded > 0 : succeeded >= completions);
  }

  /** Creates or deletes pods, never both. */
  async #manage(): Promise<void> {
    const { active } = this.#progress;
    if (this.#job.spec?.suspend) return this.#delete(active);
    const wanted = this.#wantedActive();
    const surplus = surplusIndexPods(this.#job, this.#progress);
    const others = active.filter((pod) => !surplus.includes(pod)).sort(deletionOrder(() => 0, this.#cluster.now()));
    const removed = [...surplus, ...others.slice(0, Math.max(0, active.length - wanted - surplus.length))];
    if (removed.length > 0) return this.#delete(removed.slice(0, maxPodsPerSync));
    const missing = wanted - active.length - (onlyReplacesFailed(this.#job) ? this.#terminating : 0);
    if (missing > 0) await this.#create(Math.min(missing, maxPodsPerSync));
  }

  #wantedActive(): number {
    const { parallelism = 1, completions } = this.#job.spec ?? {};
    const { succeeded, active, failedIndexes } = this.#progress;
    if (completions === undefined) return succeeded > 0 ? active.length : parallelism;
    return Math.max(0, Math.min(parallelism, completions - succeeded - (failedIndexes?.size ?? 0)));
  }

  async #create(count: number): Promise<void> {
    const wait = untilReplacement(this.#progress, this.#job, this.#cluster.now());
    if (wait > 0) {
      this.#after = wait;
      return;
    }
    const indexes = this.#progress.isIndexed ? pendingIndexes(this.#job, this.#progress, count) : undefined;
    const create = async (i: number) => {
      await createPod(this.#cluster, this.#events, this.#job, jobPod(this.#job, indexes?.[i], this.#progress));
      this.#active++;
    };
    await slowStart(indexes?.length ?? count, create).catch((error) => {
      if (!isTerminatingNamespace(error)) throw error;
    });
  }

  async #delete(pods: readonly Pod[]): Promise<void> {
    await Promise.all(pods.map((pod) => deletePod(this.#cluster, this.#events, this.#job, pod)));
    this.#active -= pods.length;
    this.#terminating += pods.length;
    this.#ready -= Math.min(this.#ready, pods.length);
  }

  #markSuspended(): void {
    const isSuspended = Boolean(this.#job.spec?.suspend);
    const conditions = this.#job.status?.conditions ?? [];
    const old = conditions.find(({ type }) => type === 'Suspended');
    if (isSuspended === (old?.status === 'True') || this.#job.metadata.deletionTimestamp !== undefined) return;
    const message = isSuspended ? 'Job suspended' : 'Job resumed';
    const reason = isSuspended ? 'JobSuspended' : 'JobResumed';
    const next = { ...this.#condition('Suspended', reason, message), status: isSuspended ? 'True' : 'False' };
    const status = {
      ...this.#job.status,
      conditions: old ? conditions.map((known) => (known === old ? next : known)) : [...conditions, next],
    };
    status.startTime = isSuspended ? undefined : formatTime(this.#cluster.now());
    this.#job = { ...this.#job, status };
    this.#events.normal(this.#job, isSuspended ? 'Suspended' : 'Resumed', message);
  }

  /** Counts finished pods in three steps, so that none is lost or counted twice: their uids, their finalizers, the numbers. */
  async #track(outcome: batchV1.JobCondition | undefined): Promise<void> {
    const before = this.#cluster.objects('jobs').get(this.#job.metadata.namespace ?? '', this.#job.metadata.name ?? '')?.status;
    const finished = this.#progress.pods.filter((pod) => hasTracking(pod) && this.#isReleasable(pod, outcome));
    const conditions = this.#job.status?.conditions ?? [];
    const isNew = outcome !== undefined && !conditions.some(({ type }) => type === outcome.type);
    const status = {
      ...this.#withCounts(this.#uncounted(finished, outcome)),
      conditions: isNew ? [...conditions, outcome] : conditions,
    };
    if (!isSame(cleaned(status), before)) await this.#write(status);
    await Promise.all(finished.map((pod) => this.#cluster.update('pods', withoutTracking(pod))));
    const counted = this.#counted(this.#job.status ?? {});
    const isDone = outcome !== undefined && this.#terminating === 0;
    if (isDone) await this.#finish(counted, outcome);
    else if (!isSame(cleaned(counted), this.#job.status)) await this.#write(counted);
  }

  #isReleasable(pod: Pod, outcome: batchV1.JobCondition | undefined): boolean {
    const isOver = this.#job.metadata.deletionTimestamp !== undefined || outcome !== undefined;
    return isOver || pod.status?.phase === 'Succeeded' || isFailed(pod, this.#job);
  }

  #uncounted(finished: readonly Pod[], outcome: batchV1.JobCondition | undefined): batchV1.UncountedTerminatedPods {
    const { succeeded = [], failed = [] } = this.#job.status?.uncountedTerminatedPods ?? {};
    const known = new Set([...succeeded, ...failed]);
    const isFailure = (pod: Pod) => isFailed(pod, this.#job) || outcome?.type === 'FailureTarget';
    const fresh = finished.filter(({ metadata }) => !known.has(metadata.uid ?? ''));
    const uids = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.uid ?? '');
    const isIndexed = this.#progress.isIndexed;
    const successes = isIndexed ? [] : fresh.filter(({ status }) => status?.phase === 'Succeeded');
    const failures = fresh.filter(
      (pod) =>
        pod.status?.phase !== 'Succeeded' &&
        isFailure(pod) &&
        (!isIndexed || completionIndex(pod) !== undefined) &&
        podFailure(this.#job, pod).action !== 'Ignore',
    );
    return { succeeded: [...succeeded, ...uids(successes)], failed: [...failed, ...uids(failures)] };
  }

  #withCounts(uncountedTerminatedPods: batchV1.UncountedTerminatedPods): batchV1.JobStatus {
    const { isIndexed, succeededIndexes, failedIndexes } = this.#progress;
    return {
      ...this.#job.status,
      active: omitZero(this.#active),
      ready: this.#ready,
      terminating: this.#terminating,
      uncountedTerminatedPods,
      ...(isIndexed && {
        succeeded: omitZero(succeededIndexes.size),
        completedIndexes: formatIndexes(succeededIndexes) || undefined,
      }),
      ...(failedIndexes && { failedIndexes: formatIndexes(failedIndexes) }),
    };
  }

  #counted(status: batchV1.JobStatus): batchV1.JobStatus {
    const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
    return {
      ...status,
      succeeded: omitZero((status.succeeded ?? 0) + succeeded.length),
      failed: omitZero((status.failed ?? 0) + failed.length),
      uncountedTerminatedPods: {},
    };
  }

  async #finish(status: batchV1.JobStatus, { type, reason = '', message = '' }: batchV1.JobCondition): Promise<void> {
    const isSuccess = type === 'SuccessCriteriaMet';
    const condition = this.#condition(isSuccess ? 'Complete' : 'Failed', reason, message);
    const completionTime = isSuccess ? condition.lastTransitionTime : undefined;
    await this.#write({ ...status, conditions: [...(status.conditions ?? []), condition], completionTime });
    if (isSuccess) this.#events.normal(this.#job, 'Completed', 'Job completed');
    else this.#events.warning(this.#job, reason, message);
  }

  async #write(status: batchV1.JobStatus): Promise<void> {
    this.#job = await this.#cluster.update('jobs', { ...this.#job, status: cleaned(status) }, 'status');
  }
}

/** Without empty lists, which the API does not keep. */
function cleaned(status: batchV1.JobStatus): batchV1.JobStatus {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const { conditions = [] } = status;
  return {
    ...status,
    conditions: conditions.length > 0 ? conditions : undefined,
    uncountedTerminatedPods: { ...(succeeded.length > 0 && { succeeded }), ...(failed.length > 0 && { failed }) },
  };
}
