import type { Batch } from './store.ts';

export type TapListener = (batch: Batch) => void;

/** The listeners of a store that hear of every batch before its writes are acknowledged. */
export class Taps {
  readonly #listeners = new Set<{ readonly hear: TapListener }>();

  add(hear: TapListener): () => void {
    const listener = { hear };
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(batch: Batch): void {
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
