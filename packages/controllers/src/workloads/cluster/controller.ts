import { settleRaces, WorkQueue } from '@tsukube/apiserver';
import type { ApiObject } from '@tsukube/client';
import type { Cluster } from './cluster.ts';
import { type Lister, queueKey } from './lister.ts';

export interface WorkloadControllerOptions<T extends ApiObject> {
  /** The objects that are reconciled. */
  readonly of: Lister<T>;
  /** Brings the cluster closer to an object, or cleans up after one that is gone. Resolves to the milliseconds after which to call it again, if any. */
  readonly reconcile: (namespace: string, name: string) => Promise<number | undefined>;
  readonly concurrency?: number;
}

export interface WorkloadController {
  /** Enqueues an object. */
  enqueue(namespace: string, name: string): void;
  /** Enqueues the controller of each changed object of another resource, if it is of the kind. */
  owns<O extends ApiObject>(store: Lister<O>, kind: string): void;
  /** Enqueues what `keys` returns (`NAMESPACE/NAME`) for each changed object, in its new and its old state. */
  watches<O extends ApiObject>(store: Lister<O>, keys: (object: O) => Iterable<string>): void;
  stop(): void;
}

const defaultConcurrency = 5;

/** Runs `reconcile` for every object and after every change. Starts when the stores of the cluster are complete. */
export function runController<T extends ApiObject>(cluster: Cluster, options: WorkloadControllerOptions<T>): WorkloadController {
  const { of, reconcile, concurrency = defaultConcurrency } = options;
  const synced = whenSynced(cluster);
  const work = (key: string) =>
    settleRaces(async () => {
      await synced();
      const [namespace = '', name = ''] = key.split('/');
      const after = await reconcile(namespace, name);
      if (after !== undefined) queue.addAfter(key, after);
    });
  const queue = new WorkQueue(work, cluster.logger, concurrency);
  const watches: WorkloadController['watches'] = (store, keys) => {
    const listener = ({ current, previous }: { current?: ApiObject; previous?: ApiObject }) => {
      for (const object of [current, previous]) if (object) for (const key of keys(object as never)) queue.add(key);
    };
    stops.push(store.subscribe(listener));
  };
  const stops = [
    of.subscribe(({ current, previous }) => {
      const object = current ?? previous;
      if (object) queue.add(queueKey(object));
    }),
  ];
  return {
    enqueue: (namespace, name) => queue.add(`${namespace}/${name}`),
    owns: (store, kind) => watches(store, (object) => ownerKeys(object, kind)),
    watches,
    stop() {
      queue.stop();
      for (const stop of stops) stop();
    },
  };
}

function ownerKeys({ metadata }: ApiObject, kind: string): string[] {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller);
  return owner?.kind === kind ? [`${metadata.namespace}/${owner.name}`] : [];
}

/** Waits for the stores of a cluster until they have been complete once. */
export function whenSynced(cluster: Cluster): () => Promise<void> {
  let isSynced = false;
  return async () => {
    if (isSynced) return;
    await cluster.synced();
    isSynced = true;
  };
}
