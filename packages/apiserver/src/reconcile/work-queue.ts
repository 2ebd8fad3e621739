import { TimeSlice } from '@tsukube/storage';
import type { Logger } from '../logger.ts';

const firstDelayMs = 50;
const maxDelayMs = 30_000;

/** Keys to reconcile: each by one worker at a time, again if added meanwhile, with exponential backoff after a failure. */
export class WorkQueue {
  readonly #work: (key: string) => Promise<void>;
  readonly #logger: Logger;
  readonly #concurrency: number;
  readonly #waiting = new Set<string>();
  readonly #running = new Map<string, 'once' | 'again'>();
  readonly #failures = new Map<string, number>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #slice = new TimeSlice();
  #isResting = false;
  #stopped = false;

  constructor(work: (key: string) => Promise<void>, logger: Logger, concurrency = Number.POSITIVE_INFINITY) {
    this.#work = work;
    this.#logger = logger;
    this.#concurrency = concurrency;
  }

  add(key: string): void {
    if (this.#stopped) return;
    if (this.#running.has(key)) this.#running.set(key, 'again');
    else if (this.#running.size < this.#concurrency && !this.#isResting) void this.#run(key);
    else this.#waiting.add(key);
  }

  /** Replaces a pending timer of the key. */
  addAfter(key: string, delayMs: number): void {
    if (this.#stopped) return;
    clearTimeout(this.#timers.get(key));
    const timer = setTimeout(() => {
      this.#timers.delete(key);
      this.add(key);
    }, delayMs).unref();
    this.#timers.set(key, timer);
  }

  stop(): void {
    this.#stopped = true;
    this.#waiting.clear();
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  async #run(key: string): Promise<void> {
    this.#running.set(key, 'once');
    try {
      await this.#work(key);
      this.#failures.delete(key);
    } catch (error) {
      this.#retry(key, error);
    }
    const again = this.#running.get(key) === 'again';
    this.#running.delete(key);
    if (again) this.add(key);
    this.#next();
  }

  /** Work on a store in memory never waits for I/O: without slices, a long queue would block the event loop. */
  #next(): void {
    if (this.#isResting) return;
    for (const key of this.#waiting) {
      if (this.#running.size >= this.#concurrency) return;
      if (this.#slice.over) {
        this.#rest();
        return;
      }
      this.#waiting.delete(key);
      this.add(key);
    }
  }

  #rest(): void {
    this.#isResting = true;
    setImmediate(() => {
      this.#isResting = false;
      this.#slice.begin();
      this.#next();
    });
  }

  #retry(key: string, error: unknown): void {
    if (this.#stopped) return;
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    this.#logger.debug('reconciliation failed, will retry', { key, failures, error: String(error) });
    this.addAfter(key, Math.min(maxDelayMs, firstDelayMs * 2 ** (failures - 1)));
  }
}
