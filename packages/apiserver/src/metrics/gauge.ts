import { sampleLine } from './exposition.ts';
import type { Series } from './family.ts';

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
