import { familyHead, labelText, type MetricType } from './exposition.ts';

export interface Description<L extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly L[];
}

/** The value of a metric for one label set. */
export interface Series {
  text(name: string, labels: string): string;
}

/** Further label sets share one series, which bounds memory. */
const maxSeries = 10_000;

/** A metric with all its label sets. */
export class Family<L extends string, S extends Series> {
  readonly name: string;
  readonly #head: string;
  readonly #labels: readonly L[];
  readonly #make: () => S;
  readonly #series = new Map<string, S>();

  constructor(type: MetricType, { name, help, labels = [] }: Description<L>, make: () => S) {
    this.name = name;
    this.#head = familyHead(name, help, type);
    this.#labels = labels;
    this.#make = make;
    // Metrics without labels are exposed from the start.
    if (labels.length === 0) this.with({} as Record<L, string>);
  }

  /** Returns the series of a label set. Too slow for every request: keep the result. */
  with(labels: Readonly<Record<L, string>>): S {
    const text = labelText(labels);
    const known = this.#series.get(text);
    if (known) return known;
    return this.#series.size < maxSeries ? this.#add(text) : this.#overflow();
  }

  remove(labels: Readonly<Record<L, string>>): void {
    this.#series.delete(labelText(labels));
  }

  text(): string {
    if (this.#series.size === 0) return '';
    const sorted = [...this.#series].sort(([a], [b]) => (a < b ? -1 : 1));
    return this.#head + sorted.map(([labels, series]) => series.text(this.name, labels)).join('');
  }

  #add(text: string): S {
    const series = this.#make();
    this.#series.set(text, series);
    return series;
  }

  #overflow(): S {
    const text = labelText(Object.fromEntries(this.#labels.map((label) => [label, 'other'])));
    return this.#series.get(text) ?? this.#add(text);
  }
}
