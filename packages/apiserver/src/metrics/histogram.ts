import { numberText, sampleLine } from './exposition.ts';
import type { Series } from './family.ts';

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
