import { type Description, Family } from './family.ts';
import { CounterSeries, GaugeSeries, HistogramSeries, TimingHistogram } from './series.ts';

/** Updates values before a scrape. */
export type Refresh = () => void | Promise<void>;

/** Deadline of the refreshes of a scrape; later values show up in the next one. */
const patienceMs = 1000;

/** A registry of metrics with their text exposition. */
export class Registry {
  readonly #families = new Map<string, { text(): string }>();
  readonly #refreshes: Refresh[] = [];

  counter<L extends string = never>(description: Description<L>): Family<L, CounterSeries> {
    return this.#register(new Family('counter', description, () => new CounterSeries()));
  }

  gauge<L extends string = never>(description: Description<L>): Family<L, GaugeSeries> {
    return this.#register(new Family('gauge', description, () => new GaugeSeries()));
  }

  histogram<L extends string = never>(
    description: Description<L> & { readonly bounds: readonly number[] },
  ): Family<L, HistogramSeries> {
    return this.#register(new Family('histogram', description, () => new HistogramSeries(description.bounds)));
  }

  /** `now` is in seconds. */
  timingHistogram<L extends string = never>(
    description: Description<L> & { readonly bounds: readonly number[]; readonly now: () => number },
  ): Family<L, TimingHistogram> {
    return this.#register(new Family('histogram', description, () => new TimingHistogram(description.bounds, description.now)));
  }

  /** A failed refresh leaves the previous values. */
  beforeScrape(refresh: Refresh): void {
    this.#refreshes.push(refresh);
  }

  async scrape(): Promise<string> {
    await withinPatience(Promise.allSettled(this.#refreshes.map(async (refresh) => refresh())));
    const names = [...this.#families.keys()].sort();
    return names.map((name) => this.#families.get(name)?.text()).join('');
  }

  #register<F extends { readonly name: string; text(): string }>(family: F): F {
    if (this.#families.has(family.name)) throw new Error(`duplicate metric ${family.name}`);
    this.#families.set(family.name, family);
    return family;
  }
}

function withinPatience(work: Promise<unknown>): Promise<unknown> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, patienceMs);
    work.finally(() => {
      clearTimeout(timer);
      resolve(undefined);
    });
  });
}
