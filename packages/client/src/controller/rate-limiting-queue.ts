import { Metrics } from '../metrics/metrics.ts';
import { RateLimiter } from '../timing/rate-limiter.ts';
import { systemTiming, type Timing } from '../timing/timing.ts';

export interface QueueOptions {
  /** Label of the metrics. */
  readonly name?: string;
  /** Delay of a key that failed, doubled with each failure. client-go's: 5 ms up to 1000 s. */
  readonly backoff?: { readonly initialMs: number; readonly maxMs: number };
  /** Limit for all retries together. client-go's: 10 per second, bursts of 100. */
  readonly rateLimit?: { readonly qps: number; readonly burst: number };
  readonly metrics?: Metrics;
  readonly timing?: Timing;
}

interface Delayed {
  readonly at: number;
  readonly cancel: AbortController;
}

/**
 * client-go's rate limiting work queue. A key is in it once, however often it is added, and is processed by one worker at a
 * time: added while it is processed, it is queued again afterwards. So the queue is never longer than there are keys.
 */
export class RateLimitingQueue {
  readonly #options: QueueOptions;
  readonly #timing: Timing;
  readonly #limiter: RateLimiter;
  readonly #metrics: ReturnType<typeof queueMetrics>;
  /** Keys to process, and when they were added. */
  readonly #waiting = new Map<string, number>();
  readonly #processing = new Map<string, number>();
  /** Keys that were added while they were processed. */
  readonly #again = new Set<string>();
  readonly #delayed = new Map<string, Delayed>();
  readonly #failures = new Map<string, number>();
  readonly #takers: (() => void)[] = [];
  readonly #idle: (() => void)[] = [];
  #isShutDown = false;

  constructor(options: QueueOptions = {}) {
    this.#options = options;
    this.#timing = options.timing ?? systemTiming;
    this.#limiter = new RateLimiter(options.rateLimit ?? { qps: 10, burst: 100 }, this.#timing);
    this.#metrics = queueMetrics(options.metrics ?? new Metrics(), options.name ?? '');
  }

  /** Keys that wait for a worker. */
  get length(): number {
    return this.#waiting.size;
  }

  add(key: string): void {
    if (this.#isShutDown || this.#waiting.has(key) || this.#again.has(key)) return;
    this.#metrics.added();
    if (this.#processing.has(key)) this.#again.add(key);
    else this.#enqueue(key);
  }

  /** Adds the key after a delay. Of several delays of a key, the shortest counts. */
  addAfter(key: string, ms: number): void {
    if (this.#isShutDown) return;
    if (ms > 0) this.#delay(key, ms);
    else this.add(key);
  }

  #delay(key: string, ms: number): void {
    const at = this.#timing.monotonic() + ms;
    const known = this.#delayed.get(key);
    if (known !== undefined && known.at <= at) return;
    known?.cancel.abort();
    const delayed = { at, cancel: new AbortController() };
    this.#delayed.set(key, delayed);
    this.#timing.sleep(ms, delayed.cancel.signal).then(
      () => {
        if (this.#delayed.get(key) === delayed) this.#delayed.delete(key);
        this.add(key);
      },
      () => {},
    );
  }

  /** Adds the key after the backoff for its failures, or later if there are too many retries. */
  addRateLimited(key: string): void {
    const { initialMs, maxMs } = this.#options.backoff ?? { initialMs: 5, maxMs: 1_000_000 };
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    this.#metrics.retried();
    this.addAfter(key, Math.max(Math.min(maxMs, initialMs * 2 ** Math.min(failures, 50)), this.#limiter.reserve()));
  }

  /** The key succeeded: its next failure starts with the shortest delay. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  /** The next key; `done` must be called for it. Undefined after `shutDown`, when no key waits. */
  async next(): Promise<string | undefined> {
    for (;;) {
      for (const [key, addedAt] of this.#waiting) {
        this.#waiting.delete(key);
        const now = this.#timing.monotonic();
        this.#processing.set(key, now);
        this.#metrics.taken(now - addedAt, this.#waiting.size);
        return key;
      }
      if (this.#isShutDown) return undefined;
      await new Promise<void>((resolve) => this.#takers.push(resolve));
    }
  }

  done(key: string): void {
    const began = this.#processing.get(key);
    if (began === undefined) return;
    this.#processing.delete(key);
    this.#metrics.worked(this.#timing.monotonic() - began);
    if (this.#again.delete(key)) this.#enqueue(key);
    else if (this.#processing.size === 0 && this.#waiting.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** Accepts no more keys and drops delayed ones. Waiting keys are still handed out. */
  shutDown(): void {
    this.#isShutDown = true;
    for (const { cancel } of this.#delayed.values()) cancel.abort();
    this.#delayed.clear();
    for (const resolve of this.#takers.splice(0)) resolve();
  }

  /** Drops the keys that wait, and shuts down. */
  shutDownNow(): void {
    this.#waiting.clear();
    this.#again.clear();
    this.shutDown();
  }

  /** Resolves when nothing waits or is processed. */
  drained(): Promise<void> {
    if (this.#processing.size === 0 && this.#waiting.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #enqueue(key: string): void {
    this.#waiting.set(key, this.#timing.monotonic());
    this.#metrics.waiting(this.#waiting.size);
    this.#takers.shift()?.();
  }
}

/** Metrics with the names of client-go. */
function queueMetrics(metrics: Metrics, name: string) {
  const labels = { name };
  const depth = metrics.gauge('workqueue_depth', 'Current depth of workqueue');
  const adds = metrics.counter('workqueue_adds_total', 'Total number of adds handled by workqueue');
  const retries = metrics.counter('workqueue_retries_total', 'Total number of retries handled by workqueue');
  const queued = metrics.histogram('workqueue_queue_duration_seconds', 'Seconds an item stays in workqueue before processing');
  const work = metrics.histogram('workqueue_work_duration_seconds', 'Seconds processing an item from workqueue takes');
  return {
    added: () => adds.inc(labels),
    retried: () => retries.inc(labels),
    waiting: (length: number) => depth.set(length, labels),
    taken: (waitedMs: number, length: number) => {
      queued.observe(waitedMs / 1000, labels);
      depth.set(length, labels);
    },
    worked: (ms: number) => work.observe(ms / 1000, labels),
  };
}
