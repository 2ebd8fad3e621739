import { jitter, type Timing } from './timing.ts';

export interface BackoffOptions {
  readonly initialMs: number;
  readonly maxMs: number;
  /** Each delay is at most this fraction longer than its base. 1 by default. */
  readonly jitter?: number;
}

/** Exponential backoff with jitter: the base doubles with every delay, up to `maxMs`. */
export class RetryBackoff {
  readonly #options: BackoffOptions;
  readonly #timing: Timing;
  #failures = 0;

  constructor(options: BackoffOptions, timing: Timing) {
    this.#options = options;
    this.#timing = timing;
  }

  get failures(): number {
    return this.#failures;
  }

  /** The delay before the next attempt. */
  next(): number {
    const { initialMs, maxMs, jitter: factor = 1 } = this.#options;
    const base = Math.min(maxMs, initialMs * 2 ** Math.min(this.#failures++, 50));
    return jitter(base, factor, this.#timing);
  }

  reset(): void {
    this.#failures = 0;
  }
}
