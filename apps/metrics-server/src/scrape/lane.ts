/** Runs tasks with bounded concurrency, in the order of their arrival. */
export class Lane {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(concurrency: number) {
    this.#free = concurrency;
  }

  /** Rejects with the reason of the signal if that is aborted before the task starts. */
  async run<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    await this.#enter(signal);
    try {
      return await task();
    } finally {
      this.#leave();
    }
  }

  #enter(signal: AbortSignal): Promise<void> | void {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    return new Promise((resolve, reject) => {
      const start = () => {
        signal.removeEventListener('abort', abort);
        resolve();
      };
      const abort = () => {
        this.#waiting.delete(start);
        reject(signal.reason);
      };
      signal.addEventListener('abort', abort, { once: true });
      this.#waiting.add(start);
    });
  }

  /** Hands the place over to the longest waiting task. */
  #leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free++;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
