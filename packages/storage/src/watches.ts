import { type Batch, Compacted } from './store.ts';
import { TimeSlice } from './time-slice.ts';

/** The changes of a store as watches read them. */
export interface RevisionLog {
  /** The newest readable revision. */
  readonly newest: number;
  /** Changes up to this revision are compacted. */
  readonly compacted: number;
  /** Returns a page of the changes of a prefix, starting at a revision. A page covers at least one revision. */
  page(from: number, prefix: string): Batch;
}

/** The watches of an embedded store. A watch holds only its position: a slow one reads from the log, nothing is queued for it. */
export class LocalWatches {
  readonly #history: RevisionLog;
  readonly #open = new Set<Position>();
  #ended = false;

  constructor(history: RevisionLog) {
    this.#history = history;
  }

  /** Call whenever the log has grown. */
  wake(): void {
    for (const position of this.#open) position.wake?.();
  }

  /** Ends all current and future watches. */
  end(): void {
    this.#ended = true;
    this.wake();
  }

  async *follow(prefix: string, from: number, signal: AbortSignal): AsyncGenerator<Batch, void, undefined> {
    const position = new Position(from, this.#history.newest);
    const abort = () => position.wake?.();
    signal.addEventListener('abort', abort);
    this.#open.add(position);
    try {
      yield* this.#batches(position, prefix, from, signal);
    } finally {
      this.#open.delete(position);
      signal.removeEventListener('abort', abort);
    }
  }

  async *#batches(position: Position, prefix: string, from: number, signal: AbortSignal) {
    const slice = new TimeSlice();
    if (this.#hasEnded(signal)) return;
    if (position.next > this.#history.newest) yield { changes: [], revision: this.#history.newest };
    while (!this.#hasEnded(signal)) {
      if (position.next > this.#history.newest) await position.change(slice);
      else if (slice.over) await slice.rest();
      else yield since(this.#advance(position, prefix), from);
    }
  }

  #hasEnded(signal: AbortSignal): boolean {
    return this.#ended || signal.aborted;
  }

  #advance(position: Position, prefix: string): Batch {
    const { compacted } = this.#history;
    if (position.next <= compacted) throw new Compacted(compacted + 1);
    const batch = this.#history.page(position.next, prefix);
    position.next = batch.revision + 1;
    return batch;
  }
}

/** The position of a watch, and the callback that wakes it at the end of the log. */
class Position {
  next: number;
  wake: (() => void) | undefined;

  constructor(from: number, newest: number) {
    this.next = Math.min(Math.max(from, 1), newest + 1);
  }

  async change(slice: TimeSlice): Promise<void> {
    await new Promise<void>((resolve) => {
      this.wake = resolve;
    });
    this.wake = undefined;
    slice.begin();
  }
}

/** A watch may start at a future revision: earlier changes are dropped. */
export function since(batch: Batch, from: number): Batch {
  const { changes, revision } = batch;
  const first = changes[0];
  if (!first || first.entry.revision >= from) return batch;
  return { changes: changes.filter(({ entry }) => entry.revision >= from), revision };
}

export type TapListener = (batch: Batch) => void;

/** Listeners that receive every batch before its writes are acknowledged. */
export class Taps {
  readonly #listeners = new Set<{ readonly listener: TapListener }>();
  /** The batch being delivered, and those written by its listeners. */
  readonly #waiting: Batch[] = [];

  add(listener: TapListener): () => void {
    const entry = { listener };
    this.#listeners.add(entry);
    return () => this.#listeners.delete(entry);
  }

  /** Delivers a batch. If a listener writes, its batch is delivered after all listeners have received the current one. */
  publish(batch: Batch): void {
    this.#waiting.push(batch);
    if (this.#waiting.length > 1) return;
    for (const next of this.#waiting) this.#deliver(next);
    this.#waiting.length = 0;
  }

  #deliver(batch: Batch): void {
    for (const { listener } of this.#listeners) {
      try {
        listener(batch);
      } catch (error) {
        // The write is committed and the other listeners must receive it; the error surfaces as an uncaught exception.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
