import type { coreV1 } from '@tsukube/api/kinds';
import type { ApiObject } from '@tsukube/client';
import { StatusError } from '@tsukube/machinery';
import type { Cluster, WithoutTypeMeta } from '../cluster/cluster.ts';
import type { WorkloadEventRecorder } from '../cluster/events.ts';

/** Creates a pod and records an Event at its owner. */
export async function createPod(
  cluster: Cluster,
  events: WorkloadEventRecorder,
  owner: ApiObject,
  pod: WithoutTypeMeta<coreV1.Pod>,
): Promise<coreV1.Pod> {
  try {
    const created = await cluster.create('pods', pod);
    events.normal(owner, 'SuccessfulCreate', `Created pod: ${created.metadata.name}`);
    return created;
  } catch (error) {
    if (!isTerminatingNamespace(error)) events.warning(owner, 'FailedCreate', `Error creating: ${(error as Error).message}`);
    throw error;
  }
}

/** Deletes a pod and records an Event at its owner. A pod that is gone is no error. */
export async function deletePod(
  cluster: Cluster,
  events: WorkloadEventRecorder,
  owner: ApiObject,
  pod: coreV1.Pod,
): Promise<void> {
  try {
    await cluster.delete('pods', pod, { uid: pod.metadata.uid });
    events.normal(owner, 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`);
  } catch (error) {
    if (error instanceof StatusError && (error.code === 404 || error.code === 409)) return;
    events.warning(owner, 'FailedDelete', `Error deleting: ${(error as Error).message}`);
    throw error;
  }
}

/** Runs actions in batches of 1, 2, 4 …, so that a failure that concerns all of them is met once. Throws the first error. */
export async function slowStart(count: number, action: (index: number) => Promise<unknown>): Promise<void> {
  for (let done = 0, batch = 1; done < count; done += batch, batch = Math.min(2 * batch, count - done)) {
    const size = Math.min(batch, count - done);
    const results = await Promise.allSettled(Array.from({ length: size }, (_, i) => action(done + i)));
    const failed = results.find(({ status }) => status === 'rejected');
    if (failed) throw (failed as PromiseRejectedResult).reason;
    batch = size;
  }
}

export function isTerminatingNamespace(error: unknown): boolean {
  if (!(error instanceof StatusError)) return false;
  return error.status.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') ?? false;
}
