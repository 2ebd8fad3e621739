import { setMaxListeners } from 'node:events';
import type { ApiObject } from '../rest/api-object.ts';
import type { ResourceApi } from '../rest/resource-api.ts';
import { abortable } from '../timing/timing.ts';
import { type Indexer, ObjectStore, type ReadonlyStore } from '../watch/object-store.ts';
import { dropManagedFields, Reflection, type StoreChange, type Transform } from '../watch/reflector.ts';
import { type WatcherOptions, watcherBatches } from '../watch/watcher.ts';
import { HandlerQueue, type InformerHandler } from './handler-queue.ts';

export interface InformerOptions<T extends ApiObject> extends Omit<WatcherOptions, 'signal'> {
  readonly indexers?: Readonly<Record<string, Indexer<T>>>;
  /** Applied to every object before it is stored. By default `dropManagedFields`. */
  readonly transform?: Transform<T>;
  /** Failures of the watch, which is retried, and errors that handlers throw. By default they are written to stderr. */
  readonly onError?: (error: unknown) => void;
}

export interface HandlerOptions {
  /** Calls `onUpdate` for every object this often, with the same object twice. */
  readonly resyncMs?: number;
}

/** A store that follows a resource, and handlers that share its watch. */
export class Informer<T extends ApiObject> {
  readonly api: ResourceApi<T>;
  readonly #store: ObjectStore<T>;
  readonly #options: InformerOptions<T>;
  readonly #queues = new Set<HandlerQueue<T>>();
  readonly #resyncs = new Map<HandlerQueue<T>, number>();
  readonly #onError: (error: unknown) => void;
  #synced: { readonly promise: Promise<void>; readonly resolve: () => void };
  #isSynced = false;
  #signal: AbortSignal | undefined;

  constructor(api: ResourceApi<T>, options: InformerOptions<T> = {}) {
    this.api = api;
    this.#options = options;
    this.#onError = guarded(
      options.onError ?? ((error) => console.error(`${api.resource.plural}: ${error instanceof Error ? error.message : error}`)),
    );
    this.#store = new ObjectStore();
    for (const [name, indexer] of Object.entries(options.indexers ?? {})) this.addIndex(name, indexer);
    this.#synced = deferred();
  }

  get store(): ReadonlyStore<T> {
    return this.#store;
  }

  get isSynced(): boolean {
    return this.#isSynced;
  }

  /** Changes that handlers have not received yet. */
  get backlog(): number {
    return Math.max(0, ...[...this.#queues].map(({ length }) => length));
  }

  /** Resolves when the store has the first list. Rejects with the reason of the signal. */
  synced(signal?: AbortSignal): Promise<void> {
    return abortable(this.#synced.promise, signal);
  }

  addIndex(name: string, indexer: Indexer<T>): void {
    this.#store.addIndex(name, (object) => this.#attempt(indexer, object) ?? []);
  }

  /** Objects in the store are added first. Returns a function that removes the handler. */
  addHandler(handler: InformerHandler<T>, { resyncMs = 0 }: HandlerOptions = {}): () => void {
    const queue = new HandlerQueue(handler, this.#onError);
    for (const object of this.#store.values()) queue.push(undefined, object);
    this.#queues.add(queue);
    if (resyncMs > 0) this.#resyncs.set(queue, resyncMs);
    if (this.#signal) this.#startResync(queue, this.#signal);
    return () => {
      this.#queues.delete(queue);
      this.#resyncs.delete(queue);
      queue.stop();
    };
  }

  /** Follows the resource until the signal is aborted. Never rejects for another reason than being started twice. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#signal) throw new Error('the informer runs already');
    setMaxListeners(0, signal);
    this.#signal = signal;
    for (const queue of this.#queues) this.#startResync(queue, signal);
    const { transform = dropManagedFields } = this.#options;
    const transformed = (object: T) => this.#attempt(transform, object) ?? object;
    const reflection = new Reflection(this.#store, transformed, (change) => this.#onChange(change));
    for await (const events of watcherBatches(this.api, { ...this.#options, signal }))
      for (const event of events) reflection.apply(event);
  }

  #onChange(change: StoreChange<T>): void {
    if (change.type === 'error') this.#onError(change.error);
    else if (change.type === 'synced') this.#markSynced();
    else if (change.type === 'deleted') for (const queue of this.#queues) queue.push(change.old, undefined, change.object);
    else {
      const old = change.type === 'modified' ? change.old : undefined;
      for (const queue of this.#queues) queue.push(old, change.object);
    }
  }

  /** Errors in functions of the caller must not end the watch. */
  #attempt<Result>(compute: (object: T) => Result, object: T): Result | undefined {
    try {
      return compute(object);
    } catch (error) {
      this.#onError(error);
      return undefined;
    }
  }

  #markSynced(): void {
    this.#isSynced = true;
    this.#synced.resolve();
  }

  #startResync(queue: HandlerQueue<T>, signal: AbortSignal): void {
    const resyncMs = this.#resyncs.get(queue);
    if (resyncMs === undefined) return;
    const { timing } = this.api.client;
    const loop = async () => {
      for (;;) {
        await timing.sleep(resyncMs, signal);
        if (!this.#queues.has(queue)) return;
        for (const object of this.#store.values()) queue.push(object, object);
      }
    };
    // The only failure is the end of the signal.
    loop().catch(() => {});
  }
}

function guarded(onError: (error: unknown) => void): (error: unknown) => void {
  return (error) => {
    try {
      onError(error);
    } catch (second) {
      console.error('an error handler failed:', second);
    }
  };
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
