import { numberText, sampleLine } from './exposition.ts';
import type { Series } from './family.ts';

/** A monotonic counter. */
export class CounterSeries implements Series {
  #value = 0;

  increase(by = 1): void {
    this.#value += by;
  }

  /** Follows a total that is counted elsewhere. */
  raiseTo(total: number): void {
    if (total > this.#value) this.#value = total;
  }

  text(name: string, labels: string): string {
    return sampleLine(name, labels, this.#value);
  }
}

export class GaugeSeries implements Series {
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

/** A histogram with fixed buckets. */
export class HistogramSeries implements Series {
  readonly #bounds: readonly number[];
  /** One per bound and one for +Inf. */
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  /** Linear search, because most values are in the first buckets. */
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

/** Exponential bucket bounds. */
export function exponentialBounds(first: number, factor: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => first * factor ** i);
}

/** A histogram of a ratio over time, weighted by nanoseconds. Times are in seconds. */
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
