import type { Store } from '@tsukube/storage';

/**
 * Orders reads after writes that were cancelled too late. Nobody waits for such a write any more, so without the fence a
 * read could be answered before it and show a state that the write then changes.
 */
export class WriteFence {
  readonly #store: Pick<Store, 'cancelledUnderWay'>;
  #lowered: Promise<void> | undefined;

  constructor(store: Pick<Store, 'cancelledUnderWay'>) {
    this.#store = store;
  }

  /** Settles when reads may go ahead; undefined if they may now. Never fails. */
  get lowered(): Promise<void> | undefined {
    return this.#lowered;
  }

  /** To be called at every cancellation: holds reads from now on until the writes concerned have settled. */
  raise(): void {
    const settled = this.#store.cancelledUnderWay();
    if (!settled) return;
    const before = this.#lowered;
    const lowered = Promise.allSettled([before, settled]).then(() => {
      if (this.#lowered === lowered) this.#lowered = undefined;
    });
    this.#lowered = lowered;
  }
}
