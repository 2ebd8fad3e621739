import { sampleLine } from './exposition.ts';
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
