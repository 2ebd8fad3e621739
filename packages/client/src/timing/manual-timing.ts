import type { Timing } from './timing.ts';

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

/** A clock for tests: it stands still until `advance`. */
export class ManualTiming implements Timing {
  #now: number;
  #random = 0;
  #sleepers: Sleeper[] = [];

  constructor(now = Date.UTC(2026, 0, 1)) {
    this.#now = now;
  }

  readonly now = (): number => this.#now;
  readonly monotonic = (): number => this.#now;
  readonly random = (): number => this.#random;

  /** The value of `random` from now on. */
  setRandom(value: number): void {
    this.#random = value;
  }

  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const sleeper = { at: this.#now + ms, wake: resolve };
      this.#sleepers.push(sleeper);
      signal?.addEventListener('abort', () => {
        this.#sleepers = this.#sleepers.filter((each) => each !== sleeper);
        reject(signal.reason);
      });
    });

  /** The time until the next timer fires; undefined if there is none. */
  get nextMs(): number | undefined {
    return this.#sleepers.length === 0 ? undefined : Math.min(...this.#sleepers.map(({ at }) => at)) - this.#now;
  }

  /** Wakes sleepers in the order of their times, and lets each run until it waits again. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (;;) {
      const [next] = this.#sleepers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#sleepers = this.#sleepers.filter((each) => each !== next);
      this.#now = Math.max(this.#now, next.at);
      next.wake();
      await settle();
    }
    this.#now = end;
  }
}

/** Lets pending promises run. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise<void>((resolve) => setImmediate(resolve));
}
