import { familyHead, labelText, type MetricType } from './exposition.ts';

export interface Description<L extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly L[];
}

/** The values of one metric for one set of labels. */
export interface Series {
  text(name: string, labels: string): string;
}

/** Beyond this many, label sets share one series: whatever the labels come from, memory stays bounded. */
const maxSeries = 10_000;

/** One metric with all its label sets. */
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
    // As client libraries do: what has no labels is there from the start.
    if (labels.length === 0) this.with({} as Record<L, string>);
  }

  /** The same for the same labels. To be called once and kept: it is too slow for every request. */
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
