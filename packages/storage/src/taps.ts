import type { Batch } from './store.ts';

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
