import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Batch,
  Cancelled,
  type Entry,
  KeyExists,
  Mismatch,
  type Page,
  type Store,
  type StoreDeleteOptions,
  type StoreListOptions,
  type StoreWriteOptions,
} from '@tsukube/storage';
import type { Resource } from '../registry/resource.ts';
import type { Registry } from './prometheus/registry.ts';
import type { CounterSeries, HistogramSeries } from './prometheus/series.ts';
import { durationBounds } from './request-metrics.ts';

type StoreOperation = 'create' | 'delete' | 'get' | 'list' | 'update';
export type StoreSeries = Readonly<Record<StoreOperation, OperationSeries>>;

const labels = ['operation', 'group', 'resource'] as const;
type Labels = Readonly<Record<(typeof labels)[number], string>>;
type StoreFamilies = ReturnType<typeof storeFamilies>;

/** Returns the series of a resource. */
export function storeMetrics(registry: Registry): (resource: Resource) => StoreSeries {
  const families = storeFamilies(registry);
  return function seriesOf({ hub, names }) {
    const of = (operation: StoreOperation) =>
      new OperationSeries(families, { operation, group: hub.group, resource: names.plural });
    return { create: of('create'), delete: of('delete'), get: of('get'), list: of('list'), update: of('update') };
  };
}

/** Under the etcd names that dashboards use, for any store. */
function storeFamilies(registry: Registry) {
  return {
    duration: registry.histogram({
      name: 'etcd_request_duration_seconds',
      help: '[ALPHA] Etcd request latency in seconds for each operation and object type.',
      labels,
      bounds: durationBounds,
    }),
    total: registry.counter({
      name: 'etcd_requests_total',
      help: '[ALPHA] Etcd request counts for each operation and object type.',
      labels,
    }),
    errors: registry.counter({
      name: 'etcd_request_errors_total',
      help: '[ALPHA] Etcd failed request counts for each operation and object type.',
      labels,
    }),
  };
}

/** Series of one operation on a resource, created on first use. */
class OperationSeries {
  readonly #families: StoreFamilies;
  readonly #labels: Labels;
  #duration: HistogramSeries | undefined;
  #total: CounterSeries | undefined;

  constructor(families: StoreFamilies, values: Labels) {
    this.#families = families;
    this.#labels = values;
  }

  record(seconds: number, failed: boolean): void {
    this.#duration ??= this.#families.duration.with(this.#labels);
    this.#total ??= this.#families.total.with(this.#labels);
    this.#duration.observe(seconds);
    this.#total.increase();
    if (failed) this.#families.errors.with(this.#labels).increase();
  }
}

const bytesPerBlock = 512;

/** Disk usage of a database file or folder. */
export function storageSize(registry: Registry, cluster: string, path: string): void {
  const size = registry.gauge({
    name: 'apiserver_storage_size_bytes',
    help: '[STABLE] Size of the storage database file physically allocated in bytes.',
    labels: ['storage_cluster_id'],
  });
  registry.beforeScrape(async () => size.with({ storage_cluster_id: cluster }).set(await allocated(path)));
}

/** Number of stored objects that are known to be corrupt. */
export function storageCorruption(registry: Registry, store: Store): void {
  const { corruption } = store;
  if (!corruption) return;
  const corrupt = registry.gauge({
    name: 'tsukube_storage_corrupt_objects',
    help: 'Number of stored objects that were found to be damaged.',
  });
  registry.beforeScrape(() => corrupt.with({}).set(corruption.call(store).count));
}

async function allocated(path: string): Promise<number> {
  const found = await stat(path);
  if (!found.isDirectory()) return found.blocks * bytesPerBlock;
  const sizes = await Promise.all((await readdir(path)).map((name) => allocated(join(path, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** A store that counts and times its operations. */
export function measuredStore(store: Store, series: StoreSeries): Store {
  return new MeasuredStore(store, series);
}

class MeasuredStore implements Store {
  readonly #store: Store;
  readonly #series: StoreSeries;
  readonly tap?: Store['tap'];
  readonly catchUp?: Store['catchUp'];
  readonly valueAt?: Store['valueAt'];
  readonly isStale?: Store['isStale'];
  readonly corruption?: Store['corruption'];

  constructor(store: Store, series: StoreSeries) {
    this.#store = store;
    this.#series = series;
    if (store.tap) this.tap = store.tap.bind(store);
    if (store.catchUp) this.catchUp = store.catchUp.bind(store);
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

  list(prefix: string, options?: StoreListOptions): Promise<Page> {
    return measured(this.#series.list, performance.now(), this.#store.list(prefix, options));
  }

  create(key: string, value: Uint8Array, options?: StoreWriteOptions): Promise<Entry> {
    return measured(this.#series.create, performance.now(), this.#store.create(key, value, options));
  }

  update(key: string, value: Uint8Array, expected: number, options?: StoreWriteOptions): Promise<Entry> {
    return measured(this.#series.update, performance.now(), this.#store.update(key, value, expected, options));
  }

  delete(key: string, expected: number, options?: StoreDeleteOptions): Promise<number> {
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

/** Observes the promise without wrapping it: the caller gets the store's own promise. */
function measured<T>(series: OperationSeries, began: number, result: Promise<T>): Promise<T> {
  const seconds = () => (performance.now() - began) / 1000;
  result.then(
    () => series.record(seconds(), false),
    (error: unknown) => series.record(seconds(), !isOutcome(error)),
  );
  return result;
}

/** A failed precondition is a result, not an error. */
function isOutcome(error: unknown): boolean {
  return error instanceof KeyExists || error instanceof Mismatch || error instanceof Cancelled;
}
