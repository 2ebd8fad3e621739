import { type AuditEvent, eventJson } from './event.ts';

/** Takes events down. */
export interface AuditSink {
  /** Whether the events are safe, as far as this sink promises that. Never fails. */
  process(events: readonly AuditEvent[]): boolean | Promise<boolean>;
  /** Hands on what waits, and ends. */
  close(): Promise<void>;
}

/** Told of events that were lost: which part of the way they were lost in, why, and how many. */
export type OnLost = (plugin: string, reason: string, events: readonly AuditEvent[]) => void;

/** All of them. */
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

/** Waits for the sink, but does not refuse requests when it fails. */
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

/** Takes the objects out of events that are too large, drops what is too large even then, and splits batches. */
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
