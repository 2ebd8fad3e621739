import { type AuditEvent, eventJson } from './event.ts';

/** An audit backend. */
export interface AuditSink {
  /** Resolves to whether the events were stored. Never rejects. */
  process(events: readonly AuditEvent[]): boolean | Promise<boolean>;
  /** Flushes buffered events and stops. */
  close(): Promise<void>;
}

/** Called with events that could not be stored. */
export type OnLost = (plugin: string, reason: string, events: readonly AuditEvent[]) => void;

/** Sends events to all sinks. */
export function unionSink(sinks: readonly AuditSink[]): AuditSink {
  if (sinks.length === 1) return sinks[0] as AuditSink;
  return {
    process(events) {
      const outcomes = sinks.map((sink) => sink.process(events));
      if (outcomes.some((outcome) => outcome instanceof Promise)) return Promise.all(outcomes).then((all) => all.every(Boolean));
      return outcomes.every(Boolean);
    },
    close: async () => void (await Promise.all(sinks.map((sink) => sink.close()))),
  };
}

/** Blocking mode: waits for the sink, but a failure does not fail the request. */
export function lenientSink(sink: AuditSink): AuditSink {
  return {
    process(events) {
      const outcome = sink.process(events);
      return outcome instanceof Promise ? outcome.then(() => true) : true;
    },
    close: () => sink.close(),
  };
}

export interface TruncationOptions {
  readonly maxEventBytes: number;
  readonly maxBatchBytes: number;
  readonly onLost: OnLost;
}

/** Truncates events above the size limit, drops those that are still too large, and splits batches. */
export function truncatingSink(sink: AuditSink, { maxEventBytes, maxBatchBytes, onLost }: TruncationOptions): AuditSink {
  const fitting = (event: AuditEvent): { event: AuditEvent; size: number } | undefined => {
    const size = sizeOf(event);
    if (size <= maxEventBytes) return { event, size };
    const cut = event.level === 'Metadata' ? event : withoutObjects(event);
    const cutSize = sizeOf(cut);
    if (cutSize <= maxEventBytes) return { event: cut, size: cutSize };
    onLost('truncate', 'event is too large even after truncating', [cut]);
    return undefined;
  };
  return {
    process(events) {
      const batches = batched(
        events.flatMap((event) => fitting(event) ?? []),
        maxBatchBytes,
      );
      const outcomes = batches.map((batch) => sink.process(batch));
      if (outcomes.some((outcome) => outcome instanceof Promise)) return Promise.all(outcomes).then((all) => all.every(Boolean));
      return outcomes.every(Boolean);
    },
    close: () => sink.close(),
  };
}

function sizeOf(event: AuditEvent): number {
  return Buffer.byteLength(eventJson(event)) + 1;
}

function withoutObjects(event: AuditEvent): AuditEvent {
  const annotations = new Map([...event.annotations, ['audit.k8s.io/truncated', 'true']]);
  return { ...event, requestObject: undefined, responseObject: undefined, annotations };
}

function batched(sized: readonly { event: AuditEvent; size: number }[], maxBytes: number): readonly (readonly AuditEvent[])[] {
  const batches: AuditEvent[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const { event, size } of sized) {
    if (bytes + size > maxBytes) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)?.push(event);
    bytes += size;
  }
  return batches;
}

export interface BatchOptions {
  /** Buffered events; further events are dropped and counted. */
  readonly bufferSize: number;
  readonly maxBatchSize: number;
  readonly maxWaitMs: number;
  /** Token bucket for batches. */
  readonly throttle: { readonly perSecond: number; readonly burst: number } | undefined;
  /** Whether batches are sent concurrently. */
  readonly concurrent: boolean;
  readonly onLost: OnLost;
  /** In milliseconds. */
  readonly now?: () => number;
}

/** Limits how long shutdown waits for the last events. */
const maxCloseMs = 10_000;

/** Batch mode: buffers events and sends them asynchronously in batches. */
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

  /** Only one pump runs; events that arrive meanwhile join its work. */
  #pump(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#pumping ??= this.#sendAll().finally(() => {
      this.#pumping = undefined;
      this.#schedule();
    });
  }

  async #sendAll(): Promise<void> {
    // Events of the same microtask turn join the batch.
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

  /** Waits for a token of the bucket, unless the server stops. */
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
