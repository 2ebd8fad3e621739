/** Time as a store sees it, so that tests need not wait. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once, about `ms` from now, unless the returned function is called first. Never keeps the process alive. */
  after(ms: number, callback: () => void): () => void;
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** For durations within this process: a wall clock that is set forth or back does not change them. */
export const monotonicClock: Clock = {
  now: () => performance.now(),
  after: (ms, callback) => systemClock.after(ms, callback),
};

export const systemClock: Clock = {
  now: Date.now,
  after(ms, callback) {
    const timer = setTimeout(callback, Math.min(ms, LONGEST_TIMER_MS)).unref();
    return () => clearTimeout(timer);
  },
};

const RETRY_MS = 1000;

/** Removes what is due at a time; gives the time when the next key is due, if there is one. */
export type RemoveExpired = (now: number) => Promise<number | undefined>;

/** Runs a removal when the earliest expiry that it was told of has come. */
export class ExpiryTimer {
  readonly #clock: Clock;
  readonly #remove: RemoveExpired;
  #due = Number.POSITIVE_INFINITY;
  #cancel: (() => void) | undefined;
  #running: Promise<void> | undefined;
  #stopped = false;

  constructor(clock: Clock, remove: RemoveExpired) {
    this.#clock = clock;
    this.#remove = remove;
  }

  /** Something expires at this time. */
  expect(due: number): void {
    if (due >= this.#due || this.#stopped) return;
    this.#due = due;
    if (!this.#running) this.#arm();
  }

  /** Waits for a removal under way; none starts afterwards. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel?.();
    await this.#running;
  }

  #arm(): void {
    this.#cancel?.();
    if (this.#stopped || this.#due === Number.POSITIVE_INFINITY) return;
    this.#cancel = this.#clock.after(Math.max(0, this.#due - this.#clock.now()), () => this.#fire());
  }

  #fire(): void {
    if (this.#running || this.#stopped) return;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
      this.#arm();
    });
  }

  async #run(): Promise<void> {
    this.#due = Number.POSITIVE_INFINITY;
    const now = this.#clock.now();
    const next = await this.#remove(now).catch(() => now + RETRY_MS);
    if (next !== undefined) this.#due = Math.min(this.#due, next);
  }
}
