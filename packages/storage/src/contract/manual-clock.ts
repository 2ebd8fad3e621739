import type { Clock } from '../clock.ts';

interface Timer {
  readonly due: number;
  readonly callback: () => void;
}

/** A clock that stands still until a test moves it. */
export class ManualClock implements Clock {
  #now = Date.UTC(2030, 0, 1);
  readonly #timers = new Set<Timer>();

  now(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { due: this.#now + ms, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  advance(seconds: number): void {
    this.#now += seconds * 1000;
    for (const timer of [...this.#timers]) if (timer.due <= this.#now && this.#timers.delete(timer)) timer.callback();
  }
}
