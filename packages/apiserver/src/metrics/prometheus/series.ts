import { numberText, sampleLine } from './exposition.ts';
import type { Series } from './family.ts';

/** Only ever grows. */
export class Counter implements Series {
  #value = 0;

  increase(by = 1): void {
    this.#value += by;
  }

  /** For totals that somebody else keeps. */
  raiseTo(total: number): void {
    if (total > this.#value) this.#value = total;
  }

  text(name: string, labels: string): string {
    return sampleLine(name, labels, this.#value);
  }
}

export class Gauge implements Series {
  #value = 0;

  set(value: number): void {
    this.#value = value;
  }

  add(difference: number): void {
    this.#value += difference;
  }

  text(name: string, labels: string): string {
    return sampleLine(name, labels, this.#value);
  }
}

/** Counts values by the first bound that is not less, and sums them up. */
export class Histogram implements Series {
  readonly #bounds: readonly number[];
  /** One for each bound, and one for what is beyond the last. */
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  /** Most values are small, so that the first bounds are looked at first. */
  observe(value: number): void {
    const bounds = this.#bounds;
    let i = 0;
    while (i < bounds.length && value > (bounds[i] as number)) i++;
    (this.#counts[i] as number)++;
    this.#sum += value;
  }

  text(name: string, labels: string): string {
    const before = labels === '' ? '' : `${labels},`;
    let count = 0;
    let lines = '';
    for (const [i, inBucket] of this.#counts.entries()) {
      count += inBucket;
      lines += sampleLine(`${name}_bucket`, `${before}le="${numberText(this.#bounds[i] ?? Number.POSITIVE_INFINITY)}"`, count);
    }
    return lines + sampleLine(`${name}_sum`, labels, this.#sum) + sampleLine(`${name}_count`, labels, count);
  }
}

/** `count` bounds, each `factor` times the one before. */
export function exponentialBounds(first: number, factor: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => first * factor ** i);
}

/** In which ranges a ratio has been, weighted by the nanoseconds it has been there. Times are in seconds. */
export class TimingHistogram implements Series {
  readonly #bounds: readonly number[];
  readonly #counts: Float64Array;
  readonly #now: () => number;
  #sum = 0;
  #since: number;
  #numerator = 0;
  #denominator = 1;

  constructor(bounds: readonly number[], now: () => number) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
    this.#now = now;
    this.#since = now();
  }

  set(numerator: number, now: number): void {
    this.#advance(now);
    this.#numerator = numerator;
  }

  add(difference: number, now: number): void {
    this.#advance(now);
    this.#numerator += difference;
  }

  setDenominator(denominator: number): void {
    this.#advance(this.#now());
    this.#denominator = denominator;
  }

  text(name: string, labels: string): string {
    this.#advance(this.#now());
    const before = labels === '' ? '' : `${labels},`;
    let count = 0;
    let lines = '';
    for (const [i, inBucket] of this.#counts.entries()) {
      count += Math.round(inBucket);
      lines += sampleLine(`${name}_bucket`, `${before}le="${numberText(this.#bounds[i] ?? Number.POSITIVE_INFINITY)}"`, count);
    }
    return lines + sampleLine(`${name}_sum`, labels, this.#sum) + sampleLine(`${name}_count`, labels, count);
  }

  #advance(now: number): void {
    const nanoseconds = (now - this.#since) * 1e9;
    if (nanoseconds <= 0) return;
    this.#since = now;
    const ratio = this.#numerator / this.#denominator;
    const bounds = this.#bounds;
    let i = 0;
    while (i < bounds.length && ratio > (bounds[i] as number)) i++;
    this.#counts[i] = (this.#counts[i] as number) + nanoseconds;
    this.#sum += ratio * nanoseconds;
  }
}
