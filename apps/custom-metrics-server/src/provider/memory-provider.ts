import { groupResourceText } from '@tsukube/client';
import type { LabelSelector } from '@tsukube/sdk';
import type {
  CustomMetric,
  CustomMetricQuery,
  CustomMetricValue,
  ExternalMetricQuery,
  ExternalMetricValue,
  Measurement,
  MetricsProvider,
} from './provider.ts';

type Labels = Readonly<Record<string, string>>;

export interface WrittenCustomMetric extends CustomMetric, Measurement {
  readonly namespace: string | undefined;
  readonly name: string;
  readonly labels: Labels;
}

export interface WrittenExternalMetric extends Measurement {
  readonly metric: string;
  readonly namespace: string;
  readonly labels: Labels;
}

/** The write API keeps at most this many series. */
const maxSeries = 100_000;

/** Beyond the limit of series. */
export class TooManySeries extends Error {
  override readonly name = 'TooManySeries';
}

/** Values that are written to it, for tests. */
export class MemoryProvider implements MetricsProvider {
  readonly #custom = new SeriesMap<WrittenCustomMetric>();
  readonly #external = new SeriesMap<WrittenExternalMetric>();

  /** Replaces the value of the series. Throws TooManySeries. */
  writeCustom(written: WrittenCustomMetric): void {
    this.#custom.set(customKey(written, written.namespace, written.name), written);
  }

  /** Replaces the value of the series. Throws TooManySeries. */
  writeExternal(written: WrittenExternalMetric): void {
    this.#external.set(externalKey(written.namespace, written.metric), written);
  }

  customMetrics(): readonly CustomMetric[] {
    const metrics = new Map<string, CustomMetric>();
    for (const { group, resource, metric, namespaced } of this.#custom.all())
      metrics.set(`${groupResourceText({ group, resource })}/${metric}`, { group, resource, metric, namespaced });
    return [...metrics.values()];
  }

  async customValues(query: CustomMetricQuery): Promise<readonly CustomMetricValue[]> {
    return query.names.flatMap((name) => {
      const [series] = matching(this.#custom.get(customKey(query, query.namespace, name)), query.selector);
      return series === undefined ? [] : [{ name, ...measurementOf(series) }];
    });
  }

  externalMetrics(): readonly string[] {
    return [...new Set([...this.#external.all()].map(({ metric }) => metric))];
  }

  async externalValues({ namespace, metric, selector }: ExternalMetricQuery): Promise<readonly ExternalMetricValue[]> {
    const series = matching(this.#external.get(externalKey(namespace, metric)), selector);
    return series.map((each) => ({ labels: each.labels, ...measurementOf(each) }));
  }
}

function measurementOf({ value, timestampMs, windowSeconds }: Measurement): Measurement {
  return { value, timestampMs, windowSeconds };
}

function matching<T extends { readonly labels: Labels }>(series: readonly T[], selector: LabelSelector): readonly T[] {
  return series.filter(({ labels }) => selector.matches(labels));
}

function customKey(metric: CustomMetric, namespace: string | undefined, name: string): string {
  return JSON.stringify([groupResourceText(metric), metric.metric, namespace ?? null, name]);
}

function externalKey(namespace: string, metric: string): string {
  return JSON.stringify([namespace, metric]);
}

/** Series by key and labels. */
class SeriesMap<T extends { readonly labels: Labels }> {
  readonly #byKey = new Map<string, Map<string, T>>();
  #size = 0;

  set(key: string, series: T): void {
    const known = this.#byKey.get(key) ?? new Map<string, T>();
    const labels = JSON.stringify(Object.entries(series.labels).sort());
    if (!known.has(labels) && ++this.#size > maxSeries) throw new TooManySeries(`more than ${maxSeries} series were written`);
    known.set(labels, series);
    this.#byKey.set(key, known);
  }

  get(key: string): readonly T[] {
    return [...(this.#byKey.get(key)?.values() ?? [])];
  }

  *all(): Iterable<T> {
    for (const series of this.#byKey.values()) yield* series.values();
  }
}
