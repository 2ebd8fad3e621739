/** Values of labels by their names. */
export type MetricLabels = Readonly<Record<string, string>>;

export interface Counter {
  inc(labels?: MetricLabels, amount?: number): void;
}

export interface Gauge {
  set(value: number, labels?: MetricLabels): void;
}

export interface Histogram {
  observe(value: number, labels?: MetricLabels): void;
}

const defaultBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Series of one metric. Labels with more values are a mistake; further ones are not counted. */
const maxSeries = 1000;

interface Family {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly lines: () => Iterable<string>;
}

/** Metrics in the text format of Prometheus. */
export class Metrics {
  readonly #families = new Map<string, Family>();

  counter(name: string, help: string): Counter {
    const values = this.#numbers(name, 'counter', help);
    return { inc: (labels, amount = 1) => values.change(labels, (value) => value + amount) };
  }

  gauge(name: string, help: string): Gauge {
    const values = this.#numbers(name, 'gauge', help);
    return { set: (value, labels) => values.change(labels, () => value) };
  }

  histogram(name: string, help: string, buckets: readonly number[] = defaultBuckets): Histogram {
    const counts = this.#shared(name, () => {
      const made = new Series(() => ({ buckets: buckets.map(() => 0), count: 0, sum: 0 }));
      return { family: { type: 'histogram', help, lines: () => histogramLines(name, buckets, made) }, value: made };
    });
    return {
      observe: (value, labels) =>
        counts.change(labels, (known) => {
          buckets.forEach((bound, i) => {
            if (value <= bound) known.buckets[i] = (known.buckets[i] as number) + 1;
          });
          return { ...known, count: known.count + 1, sum: known.sum + value };
        }),
    };
  }

  text(): string {
    return [...this.#families]
      .map(([name, { type, help, lines }]) => `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${[...lines()].join('')}`)
      .join('');
  }

  #numbers(name: string, type: 'counter' | 'gauge', help: string): Series<number> {
    return this.#shared(name, () => {
      const made = new Series(() => 0);
      return { family: { type, help, lines: () => made.map((labels, value) => `${name}${labels} ${value}\n`) }, value: made };
    });
  }

  /** The series of a metric; several parts of a program may ask for the same one. */
  readonly #values = new Map<string, unknown>();
  #shared<V>(name: string, make: () => { family: Family; value: V }): V {
    const known = this.#values.get(name);
    if (known !== undefined) return known as V;
    const { family, value } = make();
    this.#families.set(name, family);
    this.#values.set(name, value);
    return value;
  }
}

/** A value for each combination of labels. */
class Series<V> {
  readonly #initial: () => V;
  readonly #values = new Map<string, V>();

  constructor(initial: () => V) {
    this.#initial = initial;
  }

  change(labels: MetricLabels | undefined, update: (value: V) => V): void {
    const key = labelText(labels);
    const known = this.#values.get(key);
    if (known === undefined && this.#values.size >= maxSeries) return;
    this.#values.set(key, update(known ?? this.#initial()));
  }

  map(line: (labels: string, value: V) => string): string[] {
    return [...this.#values].map(([labels, value]) => line(labels, value));
  }
}

interface HistogramValue {
  readonly buckets: number[];
  readonly count: number;
  readonly sum: number;
}

function histogramLines(name: string, buckets: readonly number[], series: Series<HistogramValue>): string[] {
  return series.map((labels, { buckets: counts, count, sum }) => {
    const within = (bound: string) => (labels === '' ? `{le="${bound}"}` : `${labels.slice(0, -1)},le="${bound}"}`);
    const lines = buckets.map((bound, i) => `${name}_bucket${within(String(bound))} ${counts[i]}\n`);
    return `${lines.join('')}${name}_bucket${within('+Inf')} ${count}\n${name}_sum${labels} ${sum}\n${name}_count${labels} ${count}\n`;
  });
}

function labelText(labels: MetricLabels = {}): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}
