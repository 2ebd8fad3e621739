import type { batchV1, coreV1 } from '@tsukube/api/kinds';
import type { WithoutTypeMeta } from '../cluster/cluster.ts';
import { podFromTemplate } from '../pods/pod-template.ts';
import { completionIndex, indexAnnotation } from './indexes.ts';
import { failureCountAnnotation, failuresOf, isFailed, type JobProgress, trackingFinalizer } from './progress.ts';

type Job = batchV1.Job;

/** A pod of a Job, of one index if the Job is indexed. */
export function jobPod(job: Job, index: number | undefined, progress: JobProgress): WithoutTypeMeta<coreV1.Pod> {
  const pod = podFromTemplate(job.spec?.template, job);
  const finalizers = [...new Set([...(pod.metadata.finalizers ?? []), trackingFinalizer])];
  if (index === undefined) return { ...pod, metadata: { ...pod.metadata, finalizers } };
  const failures = job.spec?.backoffLimitPerIndex === undefined ? undefined : indexFailures(job, index, progress);
  const metadata = {
    ...pod.metadata,
    finalizers,
    generateName: `${job.metadata.name}-${index}-`,
    labels: { ...pod.metadata.labels, [indexAnnotation]: String(index) },
    annotations: {
      ...pod.metadata.annotations,
      [indexAnnotation]: String(index),
      ...(failures !== undefined && { [failureCountAnnotation]: String(failures) }),
    },
  };
  return { ...pod, metadata, spec: indexedSpec(pod.spec as coreV1.PodSpec, `${job.metadata.name}-${index}`) };
}

function indexFailures(job: Job, index: number, { pods }: JobProgress): number {
  const failed = pods.filter((pod) => completionIndex(pod) === index && isFailed(pod, job));
  return Math.max(0, ...failed.map(failuresOf));
}

function indexedSpec(spec: coreV1.PodSpec, hostname: string): coreV1.PodSpec {
  const { initContainers } = spec;
  const containers = spec.containers.map(withIndex);
  return { ...spec, hostname, containers, ...(initContainers && { initContainers: initContainers.map(withIndex) }) };
}

/** The container gets its index as the variable JOB_COMPLETION_INDEX. */
function withIndex(container: coreV1.Container): coreV1.Container {
  const name = 'JOB_COMPLETION_INDEX';
  if (container.env?.some((variable) => variable.name === name)) return container;
  const fieldRef = { apiVersion: 'v1', fieldPath: `metadata.labels['${indexAnnotation}']` };
  return { ...container, env: [...(container.env ?? []), { name, valueFrom: { fieldRef } }] };
}

/** The first indexes that neither succeeded, failed nor run. */
export function pendingIndexes(job: Job, { active, succeededIndexes, failedIndexes }: JobProgress, count: number): number[] {
  const running = new Set(active.map(completionIndex));
  const pending: number[] = [];
  for (let index = 0; index < (job.spec?.completions ?? 0) && pending.length < count; index++) {
    if (!running.has(index) && !succeededIndexes.has(index) && !failedIndexes?.has(index)) pending.push(index);
  }
  return pending;
}

/** Pods beyond one for each index, and pods of indexes that are not needed. */
export function surplusIndexPods(job: Job, { active, succeededIndexes, failedIndexes, isIndexed }: JobProgress): coreV1.Pod[] {
  if (!isIndexed) return [];
  const seen = new Set<number>();
  return active.filter((pod) => {
    const index = completionIndex(pod);
    const isNeeded =
      index !== undefined && index < (job.spec?.completions ?? 0) && !succeededIndexes.has(index) && !failedIndexes?.has(index);
    if (!isNeeded || seen.has(index)) return true;
    seen.add(index);
    return false;
  });
}
