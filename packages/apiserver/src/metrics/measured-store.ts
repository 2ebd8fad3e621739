import {
  type Batch,
  Cancelled,
  type DeleteOptions,
  type Entry,
  KeyExists,
  type ListOptions,
  Mismatch,
  type Page,
  type Store,
  type WriteOptions,
} from '@tsukube/storage';
import type { OperationSeries, StoreSeries } from './store-metrics.ts';

/** A store whose operations are counted and timed. */
export function measuredStore(store: Store, series: StoreSeries): Store {
  return new MeasuredStore(store, series);
}

class MeasuredStore implements Store {
  readonly #store: Store;
  readonly #series: StoreSeries;
  readonly tap?: Store['tap'];
  readonly valueAt?: Store['valueAt'];
  readonly isStale?: Store['isStale'];
  readonly corruption?: Store['corruption'];

  constructor(store: Store, series: StoreSeries) {
    this.#store = store;
    this.#series = series;
    if (store.tap) this.tap = store.tap.bind(store);
    if (store.valueAt) this.valueAt = store.valueAt.bind(store);
    if (store.isStale) this.isStale = store.isStale.bind(store);
    if (store.corruption) this.corruption = store.corruption.bind(store);
  }

  revision(): Promise<number> {
    return this.#store.revision();
  }

  get(key: string): Promise<Entry | undefined> {
    return measured(this.#series.get, performance.now(), this.#store.get(key));
  }

  list(prefix: string, options?: ListOptions): Promise<Page> {
    return measured(this.#series.list, performance.now(), this.#store.list(prefix, options));
  }

  create(key: string, value: Uint8Array, options?: WriteOptions): Promise<Entry> {
    return measured(this.#series.create, performance.now(), this.#store.create(key, value, options));
  }

  update(key: string, value: Uint8Array, expected: number, options?: WriteOptions): Promise<Entry> {
    return measured(this.#series.update, performance.now(), this.#store.update(key, value, expected, options));
  }

  delete(key: string, expected: number, options?: DeleteOptions): Promise<number> {
    return measured(this.#series.delete, performance.now(), this.#store.delete(key, expected, options));
  }

  cancelledUnderWay(): Promise<void> | undefined {
    return this.#store.cancelledUnderWay();
  }

  watch(prefix: string, from: number, signal: AbortSignal): AsyncIterable<Batch> {
    return this.#store.watch(prefix, from, signal);
  }

  compact(revision: number): Promise<void> {
    return this.#store.compact(revision);
  }

  ping(): Promise<void> {
    return this.#store.ping();
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}

/** Looks on without standing in between: the caller gets the store's own promise. */
function measured<T>(series: OperationSeries, began: number, result: Promise<T>): Promise<T> {
  const seconds = () => (performance.now() - began) / 1000;
  result.then(
    () => series.record(seconds(), false),
    (error: unknown) => series.record(seconds(), !isOutcome(error)),
  );
  return result;
}

/** A condition that did not hold is an answer of the store, not a failure. */
function isOutcome(error: unknown): boolean {
  return error instanceof KeyExists || error instanceof Mismatch || error instanceof Cancelled;
}
