import { type Batch, Compacted } from './store.ts';
import { TimeSlice } from './time-slice.ts';

/** The changes of a store, as its watches read them. */
export interface RevisionLog {
  /** The newest revision that can be read. */
  readonly newest: number;
  /** Changes up to this revision are gone. */
  readonly compacted: number;
  /** The changes below a prefix from a revision on: as many as fit a page, which covers at least one revision. */
  page(from: number, prefix: string): Batch;
}

/**
 * The watches of a store. A watch keeps its position and nothing else: while it lags, the changes wait in the history,
 * not in a queue.
 */
export class LocalWatches {
  readonly #history: RevisionLog;
  readonly #open = new Set<Position>();
  #ended = false;

  constructor(history: RevisionLog) {
    this.#history = history;
  }

  /** To be called whenever the history has grown. */
  wake(): void {
    for (const position of this.#open) position.wake?.();
  }

  /** Ends every watch, also those to come. */
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

/** Where a watch stands, and how to rouse it while it waits at the end of the history. */
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

/** A watch may start in the future: what happens before is not for it. */
function since(batch: Batch, from: number): Batch {
  const { changes, revision } = batch;
  const first = changes[0];
  if (!first || first.entry.revision >= from) return batch;
  return { changes: changes.filter(({ entry }) => entry.revision >= from), revision };
}

export type TapListener = (batch: Batch) => void;

/** The listeners of a store that hear of every batch before its writes are acknowledged. */
export class Taps {
  readonly #listeners = new Set<{ readonly hear: TapListener }>();
  /** The batch under way and those that its listeners have caused. */
  readonly #waiting: Batch[] = [];

  add(hear: TapListener): () => void {
    const listener = { hear };
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A batch of a write that a listener makes waits until every listener has heard the batch before it. */
  tell(batch: Batch): void {
    this.#waiting.push(batch);
    if (this.#waiting.length > 1) return;
    for (const next of this.#waiting) this.#deliver(next);
    this.#waiting.length = 0;
  }

  #deliver(batch: Batch): void {
    for (const { hear } of this.#listeners) {
      try {
        hear(batch);
      } catch (error) {
        // The write is done and the other listeners must hear of it; the fault still has to surface.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
