import type { Timing } from './timing.ts';

export interface RateLimit {
  /** Tokens per second. */
  readonly qps: number;
  readonly burst: number;
}

/** Token bucket: `burst` tokens, refilled at `qps`. Waiters are served in the order of their reservations. */
export class RateLimiter {
  readonly #limit: RateLimit;
  readonly #timing: Timing;
  #tokens: number;
  #refilledAt: number;

  constructor(limit: RateLimit, timing: Timing) {
    if (!(limit.qps > 0) || !(limit.burst >= 1)) throw new RangeError('a rate limit needs qps > 0 and burst >= 1');
    this.#limit = limit;
    this.#timing = timing;
    this.#tokens = limit.burst;
    this.#refilledAt = timing.monotonic();
  }

  /** Takes a token if there is one. */
  tryTake(): boolean {
    this.#refill();
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }

  /** Takes a token, maybe a future one. Returns the milliseconds until it is there. */
  reserve(): number {
    this.#refill();
    this.#tokens--;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / this.#limit.qps) * 1000;
  }

  /** Waits for a token. Rejects when the signal is aborted; the reservation is returned then. */
  async take(signal?: AbortSignal): Promise<void> {
    const waitMs = this.reserve();
    if (waitMs === 0) return;
    try {
      await this.#timing.sleep(waitMs, signal);
    } catch (error) {
      this.#tokens++;
      throw error;
    }
  }

  #refill(): void {
    const now = this.#timing.monotonic();
    const { qps, burst } = this.#limit;
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#refilledAt) / 1000) * qps);
    this.#refilledAt = now;
  }
}
