/** Time and randomness. Tests inject their own. */
export interface Timing {
  /** Milliseconds since the epoch, by the wall clock. */
  now(): number;
  /** Milliseconds from an arbitrary start; never goes backwards. */
  monotonic(): number;
  /** Resolves after the delay. Rejects with the reason of the signal when that is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** At least 0 and less than 1. */
  random(): number;
}

/** The longest delay of Node's timers. */
const maxDelayMs = 2 ** 31 - 1;

export const systemTiming: Timing = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  random: () => Math.random(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const abort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(
        () => {
          signal?.removeEventListener('abort', abort);
          resolve();
        },
        Math.min(ms, maxDelayMs),
      );
      signal?.addEventListener('abort', abort, { once: true });
    }),
};

/** Between `ms` and `ms * (1 + factor)`. */
export function jitter(ms: number, factor: number, { random }: Pick<Timing, 'random'>): number {
  return ms * (1 + factor * random());
}

/** The result of a promise that cannot be cancelled, or the reason of the signal. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  if (signal.aborted) {
    promise.catch(() => {});
    return Promise.reject(signal.reason);
  }
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
