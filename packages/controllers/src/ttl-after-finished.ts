import {
  type CacheEntry,
  decodeObject,
  deleteObject,
  deleteOptionsObject,
  follow,
  nameOfKey,
  settleRaces,
  WorkQueue,
} from '@tsukube/apiserver';
import { type JsonObject, type KubeObject, numberIn, objectIn, objectsIn, textIn } from '@tsukube/machinery';
import { type ControllerContext, type RunningController, registryNamed, writeAs } from './controller.ts';

const concurrency = 16;
/** A longer timer would overflow; the job is looked at again then. */
const maxTimerMs = 24 * 3_600_000;
const ttlMark = Buffer.from('"ttlSecondsAfterFinished":');

/** Deletes Jobs with their pods when `ttlSecondsAfterFinished` has passed since they finished. */
export function ttlAfterFinished(context: ControllerContext): RunningController {
  const jobs = registryNamed(context, 'jobs');

  const reconcile = async (key: string): Promise<void> => {
    const entry = await jobs.cache.get(key);
    const job = entry && decodeObject(entry.value);
    const expires = job && expiryOf(job);
    if (!job || expires === undefined) return;
    const left = expires - context.now();
    if (left > 0) return queue.addAfter(key, Math.min(left, maxTimerMs));
    const { namespace, name } = nameOfKey(jobs.resource, key);
    const request = { propagationPolicy: 'Foreground', preconditions: { uid: job.metadata.uid ?? '' } };
    const options = () => deleteOptionsObject(request);
    await deleteObject(jobs, name, request, { ...writeAs(jobs, namespace), options });
  };

  const queue = new WorkQueue((key) => settleRaces(() => reconcile(key)), context.logger, concurrency);
  const stop = follow(jobs.cache, ({ key, value }: CacheEntry) => {
    if (value.includes(ttlMark)) queue.add(key);
  });
  return {
    stop() {
      queue.stop();
      stop();
    },
  };
}

/** Undefined if the Job has no TTL, has not finished, or is being deleted. */
function expiryOf(job: KubeObject): number | undefined {
  const spec = objectIn(job, 'spec') ?? {};
  const finished = objectsIn(objectIn(job, 'status'), 'conditions').find(isFinished);
  if (job.metadata.deletionTimestamp !== undefined || spec.ttlSecondsAfterFinished === undefined || !finished) return undefined;
  const time = Date.parse(textIn(finished, 'lastTransitionTime'));
  return Number.isNaN(time) ? undefined : time + numberIn(spec, 'ttlSecondsAfterFinished') * 1000;
}

function isFinished({ type, status }: JsonObject): boolean {
  return (type === 'Complete' || type === 'Failed') && status === 'True';
}
