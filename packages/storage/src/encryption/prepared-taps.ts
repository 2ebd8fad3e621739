import type { Batch } from '../store.ts';
import { type TapListener, Taps } from '../watches.ts';

/** Batches that wait for a key. Beyond this number they are delivered at once; values without a key cannot be read then. */
const MAX_HELD = 1_000;

/** Fetches the keys that the values of a batch need. Undefined if none is missing. Never rejects. */
type Prepare = (batch: Batch) => Promise<void> | undefined;

/** Delivers batches in order, each when the keys of its values have been fetched. */
export class PreparedTaps {
  readonly #prepare: Prepare;
  readonly #taps = new Taps();
  #held: Batch[] = [];
  #delivering: Promise<void> | undefined;

  constructor(prepare: Prepare) {
    this.#prepare = prepare;
  }

  add(listener: TapListener): () => void {
    return this.#taps.add(listener);
  }

  /** Resolves when all batches received before the call have been delivered; undefined if they have. */
  delivered(): Promise<void> | undefined {
    return this.#delivering;
  }

  receive(batch: Batch): void {
    if (this.#delivering) {
      this.#held.push(batch);
      if (this.#held.length > MAX_HELD) this.#publishHeld();
      return;
    }
    const wait = this.#prepare(batch);
    if (!wait) {
      this.#taps.publish(batch);
      return;
    }
    this.#held.push(batch);
    this.#delivering = this.#deliver(wait);
  }

  /** Never rejects: errors of listeners are handled by the taps. */
  async #deliver(first: Promise<void>): Promise<void> {
    await first;
    for (let batch = this.#held.shift(); batch; batch = this.#held.shift()) {
      this.#taps.publish(batch);
      const next = this.#held[0];
      const wait = next && this.#prepare(next);
      if (wait) await wait;
    }
    this.#delivering = undefined;
  }

  #publishHeld(): void {
    const batches = this.#held;
    this.#held = [];
    for (const batch of batches) this.#taps.publish(batch);
  }
}
