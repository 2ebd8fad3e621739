/** Clock of a store, injected so that tests need not wait. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once after about `ms`, unless the returned function is called first. Does not keep the process alive. */
  after(ms: number, callback: () => void): () => void;
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** For durations and deadlines: unaffected by changes of the wall clock. */
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

/** Deletes the keys that expire by `now`; resolves with the time of the next expiry, if any. */
type RemoveExpired = (now: number) => Promise<number | undefined>;

/** Runs `remove` at the earliest expected expiry, and retries it a second after a failure. */
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

  /** A key expires at this time. */
  expect(due: number): void {
    if (due >= this.#due || this.#stopped) return;
    this.#due = due;
    if (!this.#running) this.#arm();
  }

  /** Waits for a removal in flight; none starts afterwards. */
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
