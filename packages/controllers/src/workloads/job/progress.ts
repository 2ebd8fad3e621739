import type { batchV1, coreV1 } from '@tsukube/api/kinds';
import { formatTime } from '@tsukube/machinery';
import { isActive, isReady, isTerminating } from '../pods/pod-state.ts';
import { completionIndex, parseIndexes } from './indexes.ts';
import { podFailure, successReason } from './policies.ts';

type Job = batchV1.Job;
type Pod = coreV1.Pod;

export const trackingFinalizer = 'batch.kubernetes.io/job-tracking';
export const failureCountAnnotation = 'batch.kubernetes.io/job-index-failure-count';

/** Progress of a Job, derived from its pods. */
export interface JobProgress {
  readonly pods: readonly Pod[];
  readonly active: readonly Pod[];
  readonly ready: number;
  readonly terminating: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly isIndexed: boolean;
  readonly succeededIndexes: ReadonlySet<number>;
  /** Only with backoffLimitPerIndex. */
  readonly failedIndexes: ReadonlySet<number> | undefined;
}

export function hasTracking({ metadata }: Pod): boolean {
  return metadata.finalizers?.includes(trackingFinalizer) ?? false;
}

export function onlyReplacesFailed({ spec }: Job): boolean {
  return spec?.podReplacementPolicy === 'Failed' || spec?.podFailurePolicy !== undefined;
}

/** A deleted pod counts as failed, unless only finished pods are replaced. */
export function isFailed(pod: Pod, job: Job): boolean {
  if (pod.status?.phase === 'Failed') return true;
  return !onlyReplacesFailed(job) && pod.metadata.deletionTimestamp !== undefined && pod.status?.phase !== 'Succeeded';
}

export function progressOf(job: Job, pods: readonly Pod[]): JobProgress {
  const { status, spec } = job;
  const isIndexed = spec?.completionMode === 'Indexed';
  const completions = spec?.completions ?? 0;
  const uncounted = new Set([
    ...(status?.uncountedTerminatedPods?.succeeded ?? []),
    ...(status?.uncountedTerminatedPods?.failed ?? []),
  ]);
  const fresh = pods.filter((pod) => hasTracking(pod) && !uncounted.has(pod.metadata.uid ?? ''));
  const isValid = (pod: Pod) => !isIndexed || (completionIndex(pod) ?? completions) < completions;
  const newSucceeded = fresh.filter((pod) => pod.status?.phase === 'Succeeded' && isValid(pod)).length;
  const newFailed = fresh.filter((pod) => isFailed(pod, job) && isValid(pod) && podFailure(job, pod).action !== 'Ignore').length;
  const succeededIndexes = parseIndexes(status?.completedIndexes, completions);
  if (isIndexed)
    for (const index of indexesOf(pods, ({ status: own }) => own?.phase === 'Succeeded', completions))
      succeededIndexes.add(index);
  const active = pods.filter(isActive);
  return {
    pods,
    active,
    ready: active.filter(isReady).length,
    terminating: pods.filter(isTerminating).length,
    succeeded: isIndexed
      ? succeededIndexes.size
      : (status?.succeeded ?? 0) + (status?.uncountedTerminatedPods?.succeeded?.length ?? 0) + newSucceeded,
    failed: (status?.failed ?? 0) + (status?.uncountedTerminatedPods?.failed?.length ?? 0) + newFailed,
    isIndexed,
    succeededIndexes,
    failedIndexes: spec?.backoffLimitPerIndex === undefined ? undefined : failedIndexesOf(job, pods),
  };
}

function indexesOf(pods: readonly Pod[], isCounted: (pod: Pod) => boolean, completions: number): number[] {
  const indexes = pods.filter(isCounted).map(completionIndex);
  return indexes.filter((index): index is number => index !== undefined && index < completions);
}

/** Failures of an index so far, from the last pod that failed. */
export function failuresOf(pod: Pod): number {
  return Number(pod.metadata.annotations?.[failureCountAnnotation] ?? 0) + 1;
}

function failedIndexesOf(job: Job, pods: readonly Pod[]): Set<number> {
  const limit = job.spec?.backoffLimitPerIndex ?? 0;
  const failed = parseIndexes(job.status?.failedIndexes, job.spec?.completions ?? 0);
  const isFinal = (pod: Pod) => isFailed(pod, job) && (failuresOf(pod) > limit || podFailure(job, pod).action === 'FailIndex');
  for (const index of indexesOf(pods, isFinal, job.spec?.completions ?? 0)) failed.add(index);
  return failed;
}

export function jobCondition(type: string, reason: string, message: string, now: number): batchV1.JobCondition {
  const time = formatTime(now);
  return { type, status: 'True', lastProbeTime: time, lastTransitionTime: time, reason, message };
}

export function jobConditionOf({ status }: Job, type: string): batchV1.JobCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type && condition.status === 'True');
}

/** Why the Job ends now, as SuccessCriteriaMet or FailureTarget; undefined while it is running. Completions are evaluated later. */
export function jobOutcome(job: Job, progress: JobProgress, now: number): batchV1.JobCondition | undefined {
  const known = jobConditionOf(job, 'SuccessCriteriaMet') ?? jobConditionOf(job, 'FailureTarget');
  if (known) return known;
  const fail = (reason: string, message: string) => jobCondition('FailureTarget', reason, message, now);
  const fatal = progress.pods
    .filter((pod) => isFailed(pod, job))
    .map((pod) => podFailure(job, pod))
    .find(({ action }) => action === 'FailJob');
  if (fatal) return fail('PodFailurePolicy', fatal.message ?? '');
  if (progress.failed > (job.spec?.backoffLimit ?? 6) || isPastRestarts(job, progress))
    return fail('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  if (untilJobDeadline(job, now) === 0) return fail('DeadlineExceeded', 'Job was active longer than specified deadline');
  return progress.isIndexed ? indexedOutcome(job, progress, now) : undefined;
}

function indexedOutcome(
  job: Job,
  { failedIndexes, succeededIndexes }: JobProgress,
  now: number,
): batchV1.JobCondition | undefined {
  const { maxFailedIndexes, completions = 0 } = job.spec ?? {};
  if (failedIndexes && maxFailedIndexes !== undefined && failedIndexes.size > maxFailedIndexes)
    return jobCondition(
      'FailureTarget',
      'MaxFailedIndexesExceeded',
      'Job has exceeded the specified maximal number of failed indexes',
      now,
    );
  if (failedIndexes && failedIndexes.size > 0 && failedIndexes.size + succeededIndexes.size >= completions)
    return jobCondition('FailureTarget', 'FailedIndexes', 'Job has failed indexes', now);
  const success = successReason(job, succeededIndexes);
  return success === undefined ? undefined : jobCondition('SuccessCriteriaMet', 'SuccessPolicy', success, now);
}

/** With restartPolicy OnFailure, restarts of containers count. */
function isPastRestarts({ spec }: Job, { active }: JobProgress): boolean {
  if (spec?.template?.spec?.restartPolicy !== 'OnFailure') return false;
  const restarts = active.flatMap(({ status }) => [
    ...(status?.containerStatuses ?? []),
    ...(status?.initContainerStatuses ?? []),
  ]);
  const total = restarts.reduce((sum, { restartCount }) => sum + restartCount, 0);
  const limit = spec.backoffLimit ?? 6;
  return limit === 0 ? total > 0 : total >= limit;
}

/** Milliseconds until activeDeadlineSeconds is over; undefined without a deadline. */
export function untilJobDeadline({ spec, status }: Job, now: number): number | undefined {
  if (spec?.activeDeadlineSeconds === undefined || spec.suspend || !status?.startTime) return undefined;
  return Math.max(0, Date.parse(status.startTime) + spec.activeDeadlineSeconds * 1000 - now);
}

const firstBackoffMs = 10_000;
const maxBackoffMs = 600_000;

/** Milliseconds before a pod is replaced: the backoff doubles with each failure since the last success. */
export function untilReplacement({ pods }: JobProgress, job: Job, now: number): number {
  const lastSuccess = Math.max(0, ...pods.filter(({ status }) => status?.phase === 'Succeeded').map(finishedAt));
  const failures = pods
    .filter((pod) => isFailed(pod, job))
    .map(finishedAt)
    .filter((at) => at > lastSuccess);
  if (failures.length === 0) return 0;
  const backoff = Math.min(firstBackoffMs * 2 ** Math.min(failures.length - 1, 10), maxBackoffMs);
  return Math.max(0, Math.max(...failures) + backoff - now);
}

function finishedAt({ status, metadata }: Pod): number {
  const ends = (status?.containerStatuses ?? []).map(({ state }) => Date.parse(state?.terminated?.finishedAt ?? ''));
  const known = ends.filter((end) => !Number.isNaN(end));
  if (known.length > 0) return Math.max(...known);
  return Date.parse(metadata.deletionTimestamp ?? '') || 0;
}
