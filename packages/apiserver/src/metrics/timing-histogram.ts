import { numberText, sampleLine } from './exposition.ts';
import type { Series } from './family.ts';

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
