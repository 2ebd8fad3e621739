import { setMaxListeners } from 'node:events';
import { parseApiVersion } from '@tsukube/machinery';
import type { InformerHandler } from '../informer/handler-queue.ts';
import { Metrics } from '../metrics/metrics.ts';
import { type ApiObject, keyOf, type ObjectName, splitKey } from '../rest/api-object.ts';
import type { ReadonlyStore } from '../watch/object-store.ts';
import { type QueueOptions, RateLimitingQueue } from './rate-limiting-queue.ts';

/** A source of changes: an Informer. */
export interface ChangeSource<T extends ApiObject> {
  readonly store: ReadonlyStore<T>;
  addHandler(handler: InformerHandler<T>): () => void;
  synced(signal?: AbortSignal): Promise<void>;
}

/** `old` is undefined for added objects, `isDeleted` is true for deleted ones. */
export interface ObjectChange<T> {
  readonly object: T;
  readonly old: T | undefined;
  readonly isDeleted: boolean;
}

/** Whether a change is worth a reconciliation. */
export type Predicate<T> = (change: ObjectChange<T>) => boolean;

export interface ReconcileRequest extends ObjectName {
  readonly key: string;
}

export interface ReconcileContext<T extends ApiObject> {
  /** The objects of `for`. */
  readonly store: ReadonlyStore<T>;
  /** Aborted when the controller stops. */
  readonly signal: AbortSignal;
}

// biome-ignore lint/suspicious/noConfusingVoidType: functions without a return statement reconcile, too.
export type ReconcileResult = { readonly requeueAfterMs?: number } | undefined | void;

export interface WatchedSource<T extends ApiObject> {
  readonly source: ChangeSource<T>;
  /** Keys (`namespace/name`) of the objects to reconcile. */
  readonly map: (object: T) => Iterable<string>;
  readonly predicates?: readonly Predicate<T>[];
}

export interface ControllerOptions<T extends ApiObject> {
  readonly name: string;
  /** The objects that are reconciled. */
  readonly for: ChangeSource<T>;
  readonly predicates?: readonly Predicate<T>[];
  /** Objects whose controller reference names an object of `for`. */
  readonly owns?: readonly ChangeSource<ApiObject>[];
  /** Other objects, and which ones to reconcile when they change. See `watches`. */
  readonly watches?: readonly WatchedSource<ApiObject>[];
  /** Reconciliations at the same time; never two of the same object. 1 by default. */
  readonly concurrency?: number;
  /** Brings the actual state closer to the desired state of the object, which may have been deleted by now. Errors are retried with backoff. */
  readonly reconcile: (request: ReconcileRequest, context: ReconcileContext<T>) => ReconcileResult | Promise<ReconcileResult>;
  /** By default written to stderr. */
  readonly onError?: (error: unknown, request: ReconcileRequest) => void;
  readonly queue?: Omit<QueueOptions, 'name' | 'metrics'>;
  readonly metrics?: Metrics;
}

/** Keeps the type of the objects for `map`. */
export function watches<T extends ApiObject>(
  source: ChangeSource<T>,
  map: (object: T) => Iterable<string>,
  predicates: readonly Predicate<T>[] = [],
): WatchedSource<ApiObject> {
  return { source, map, predicates } as unknown as WatchedSource<ApiObject>;
}

/** Ignores updates that leave the generation as it is, such as those of the status. */
export const generationChanged: Predicate<ApiObject> = ({ object, old, isDeleted }) =>
  isDeleted || old === undefined || object.metadata.generation !== old.metadata.generation;

/** Calls `reconcile` for objects that change, or whose dependents do. */
export class Controller<T extends ApiObject> {
  readonly queue: RateLimitingQueue;
  readonly #options: ControllerOptions<T>;
  readonly #results: ReturnType<typeof reconcileMetrics>;

  constructor(options: ControllerOptions<T>) {
    this.#options = options;
    const { name, metrics = new Metrics() } = options;
    this.queue = new RateLimitingQueue({ ...options.queue, name, metrics });
    this.#results = reconcileMetrics(metrics, name);
  }

  /** Waits until all sources have their lists, and reconciles until the signal is aborted. Rejects only if that is before the lists. */
  async run(signal: AbortSignal): Promise<void> {
    setMaxListeners(0, signal);
    const { for: primary, owns = [], watches: watched = [], predicates = [], concurrency = 1 } = this.#options;
    const remove = [
      primary.addHandler(this.#handler((object) => [keyOf(object)], predicates)),
      ...owns.map((source) => source.addHandler(this.#handler((object) => ownerKey(object, primary.store), []))),
      ...watched.map(({ source, map, predicates: some = [] }) => source.addHandler(this.#handler(map, some))),
    ];
    const stop = () => this.queue.shutDownNow();
    signal.addEventListener('abort', stop, { once: true });
    try {
      await Promise.all([primary, ...owns, ...watched.map(({ source }) => source)].map((source) => source.synced(signal)));
      await Promise.all(Array.from({ length: concurrency }, () => this.#work(signal)));
    } finally {
      signal.removeEventListener('abort', stop);
      stop();
      for (const each of remove) each();
    }
  }

  #handler<O extends ApiObject>(map: (object: O) => Iterable<string>, predicates: readonly Predicate<O>[]): InformerHandler<O> {
    const take = (object: O, old: O | undefined, isDeleted: boolean) => {
      if (!predicates.every((predicate) => predicate({ object, old, isDeleted }))) return;
      for (const key of map(object)) this.queue.add(key);
      // An object that was given to another owner concerns the old one, too.
      if (old !== undefined) for (const key of map(old)) this.queue.add(key);
    };
    return {
      onAdd: (object) => take(object, undefined, false),
      onUpdate: (object, old) => take(object, old, false),
      onDelete: (object) => take(object, undefined, true),
    };
  }

  async #work(signal: AbortSignal): Promise<void> {
    for (let key = await this.queue.next(); key !== undefined; key = await this.queue.next()) {
      await this.#reconcile({ key, ...splitKey(key) }, signal);
      this.queue.done(key);
    }
  }

  async #reconcile(request: ReconcileRequest, signal: AbortSignal): Promise<void> {
    const { reconcile, for: primary } = this.#options;
    try {
      const result = await reconcile(request, { store: primary.store, signal });
      this.queue.forget(request.key);
      this.#results.inc(result?.requeueAfterMs === undefined ? 'success' : 'requeue_after');
      if (result?.requeueAfterMs !== undefined) this.queue.addAfter(request.key, result.requeueAfterMs);
    } catch (error) {
      if (signal.aborted) return;
      this.#results.inc('error');
      this.#report(error, request);
      this.queue.addRateLimited(request.key);
    }
  }

  #report(error: unknown, request: ReconcileRequest): void {
    const { name, onError = (failure) => console.error(`${name}: ${request.key}:`, failure) } = this.#options;
    try {
      onError(error, request);
    } catch (second) {
      console.error(`${name}: the error handler failed:`, second);
    }
  }
}

/** The key of the controller of an object, if that is in the store with the same group and kind. */
function ownerKey(object: ApiObject, store: ReadonlyStore<ApiObject>): string[] {
  const { ownerReferences, namespace } = object.metadata;
  const owner = ownerReferences?.find(({ controller }) => controller === true);
  if (owner === undefined) return [];
  const candidates = namespace ? [`${namespace}/${owner.name}`, owner.name] : [owner.name];
  const groupOf = (apiVersion: string) => parseApiVersion(apiVersion)?.group;
  return candidates.filter((key) => {
    const found = store.get(key);
    return found !== undefined && found.kind === owner.kind && groupOf(found.apiVersion) === groupOf(owner.apiVersion);
  });
}

/** The metric of controller-runtime. */
function reconcileMetrics(metrics: Metrics, controller: string) {
  const total = metrics.counter('controller_runtime_reconcile_total', 'Total number of reconciliations per controller');
  return { inc: (result: 'success' | 'error' | 'requeue_after') => total.inc({ controller, result }) };
}
