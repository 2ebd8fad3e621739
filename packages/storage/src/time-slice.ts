import { setImmediate as nextTurn } from 'node:timers/promises';

const SLICE_MS = 4;

/** Cuts long synchronous work into pieces, so that the event loop never waits long for it. */
export class TimeSlice {
  #ends = performance.now() + SLICE_MS;

  begin(): void {
    this.#ends = performance.now() + SLICE_MS;
  }

  get over(): boolean {
    return performance.now() >= this.#ends;
  }

  /** Lets the loop turn once and begins a new slice. */
  async rest(): Promise<void> {
    await nextTurn();
    this.begin();
  }
}
