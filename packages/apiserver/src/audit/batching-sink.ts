import type { AuditEvent } from './event.ts';
import type { AuditSink, OnLost } from './sink.ts';

export interface BatchOptions {
  /** Events that wait at most; those beyond are lost, and counted. */
  readonly bufferSize: number;
  readonly maxBatchSize: number;
  readonly maxWaitMs: number;
  /** Batches in a second, and how many at once after a quiet time. */
  readonly throttle: { readonly perSecond: number; readonly burst: number } | undefined;
  /** Whether a batch is sent before the one before has been taken. */
  readonly concurrent: boolean;
  readonly onLost: OnLost;
  /** In milliseconds. */
  readonly now?: () => number;
}

/** A server that stops does not wait longer for somebody to take its last events. */
const maxCloseMs = 10_000;

/** Keeps events for a while and hands them on in batches: nobody waits for them. */
export function batchingSink(sink: AuditSink, options: BatchOptions): AuditSink {
  return new BatchingSink(sink, options);
}

class BatchingSink implements AuditSink {
  readonly #sink: AuditSink;
  readonly #options: BatchOptions;
  readonly #now: () => number;
  readonly #sending = new Set<Promise<unknown>>();
  #waiting: AuditEvent[] = [];
  #timer: NodeJS.Timeout | undefined;
  #tokens: number;
  #filled: number;
  #isClosing = false;
  #pumping: Promise<void> | undefined;

  constructor(sink: AuditSink, options: BatchOptions) {
    this.#sink = sink;
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#tokens = options.throttle?.burst ?? 0;
    this.#filled = this.#now();
  }

  process(events: readonly AuditEvent[]): boolean {
    const room = this.#isClosing ? 0 : this.#options.bufferSize - this.#waiting.length;
    if (events.length > room) {
      const reason = this.#isClosing ? 'audit backend shut down' : 'audit buffer queue blocked';
      this.#options.onLost('buffered', reason, events.slice(Math.max(0, room)));
    }
    for (const event of events.slice(0, Math.max(0, room))) this.#waiting.push(event);
    this.#schedule();
    return true;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#pump();
    await Promise.race([this.#drained(), new Promise((resolve) => setTimeout(resolve, maxCloseMs).unref())]);
    await this.#sink.close();
  }

  async #drained(): Promise<void> {
    while (this.#pumping) await this.#pumping;
    await Promise.all(this.#sending);
  }

  #schedule(): void {
    const { maxBatchSize, maxWaitMs } = this.#options;
    if (this.#waiting.length >= maxBatchSize) this.#pump();
    else if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => this.#pump(), maxWaitMs).unref();
  }

  /** One at a time: whoever comes while it works only adds to its work. */
  #pump(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#pumping ??= this.#sendAll().finally(() => {
      this.#pumping = undefined;
      this.#schedule();
    });
  }

  async #sendAll(): Promise<void> {
    // What comes in this turn of the loop goes along.
    await Promise.resolve();
    do {
      if (this.#waiting.length === 0) return;
      await this.#allowed();
      await this.#send(this.#waiting.splice(0, this.#options.maxBatchSize));
    } while (this.#isClosing || this.#waiting.length >= this.#options.maxBatchSize);
  }

  async #send(batch: readonly AuditEvent[]): Promise<void> {
    const sending = Promise.resolve(this.#sink.process(batch)).finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
    if (!this.#options.concurrent) await sending;
  }

  /** Tokens come in steadily, are kept up to a number, and each batch costs one. A server that stops waits for none. */
  async #allowed(): Promise<void> {
    const { throttle } = this.#options;
    while (throttle && !this.#isClosing) {
      const now = this.#now();
      this.#tokens = Math.min(throttle.burst, this.#tokens + ((now - this.#filled) / 1000) * throttle.perSecond);
      this.#filled = now;
      if (this.#tokens >= 1) break;
      await new Promise((resolve) => setTimeout(resolve, ((1 - this.#tokens) / throttle.perSecond) * 1000).unref());
    }
    this.#tokens--;
  }
}
