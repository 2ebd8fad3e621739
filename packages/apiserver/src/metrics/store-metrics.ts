import type { Resource } from '../resource.ts';
import type { Counter } from './counter.ts';
import type { Histogram } from './histogram.ts';
import type { Registry } from './registry.ts';
import { durationBounds } from './request-families.ts';

export type StoreOperation = 'create' | 'delete' | 'get' | 'list' | 'update';
export type StoreSeries = Readonly<Record<StoreOperation, OperationSeries>>;

const labels = ['operation', 'group', 'resource'] as const;
type Labels = Readonly<Record<(typeof labels)[number], string>>;
type StoreFamilies = ReturnType<typeof storeFamilies>;

/** Gives the series for the objects of a resource. */
export function storeMetrics(registry: Registry): (resource: Resource) => StoreSeries {
  const families = storeFamilies(registry);
  return function seriesOf({ hub, names }) {
    const of = (operation: StoreOperation) =>
      new OperationSeries(families, { operation, group: hub.group, resource: names.plural });
    return { create: of('create'), delete: of('delete'), get: of('get'), list: of('list'), update: of('update') };
  };
}

/** Under the names that dashboards know, which speak of etcd whatever the store. */
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

/** What is measured of one operation on the objects of one resource; shown once it has happened. */
export class OperationSeries {
  readonly #families: StoreFamilies;
  readonly #labels: Labels;
  #duration: Histogram | undefined;
  #total: Counter | undefined;

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
