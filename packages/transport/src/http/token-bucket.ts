/** Token bucket: `burst` tokens, refilled at `perSecond`. The clock is read only when the bucket is empty. */
export class TokenBucket {
  readonly #burst: number;
  readonly #perSecond: number;
  readonly #now: () => number;
  #left: number;
  #filled: number;

  constructor(burst: number, perSecond: number, now: () => number = () => performance.now()) {
    this.#burst = burst;
    this.#perSecond = perSecond;
    this.#now = now;
    this.#left = burst;
    this.#filled = now();
  }

  /** Takes a token. False if there is none. */
  take(): boolean {
    if (this.#left < 1) this.#refill();
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }

  #refill(): void {
    const now = this.#now();
    this.#left = Math.min(this.#burst, this.#left + ((now - this.#filled) / 1000) * this.#perSecond);
    this.#filled = now;
  }
}
