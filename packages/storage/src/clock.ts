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
