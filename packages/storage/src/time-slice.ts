import { setImmediate as nextTurn } from 'node:timers/promises';

const SLICE_MS = 4;

/** Splits long synchronous work into slices of a few milliseconds, so that it does not block the event loop. */
export class TimeSlice {
  #ends = performance.now() + SLICE_MS;

  begin(): void {
    this.#ends = performance.now() + SLICE_MS;
  }

  get over(): boolean {
    return performance.now() >= this.#ends;
  }

  /** Yields to the event loop and begins a new slice. */
  async rest(): Promise<void> {
    await nextTurn();
    this.begin();
  }
}

/**
 * Calls `visit` for each item in order until it returns false. Returns undefined if one slice was enough, else a promise for
 * the rest.
 */
export function eachInSlices<T>(items: readonly T[], visit: (item: T) => unknown): Promise<void> | undefined {
  const slice = new TimeSlice();
  let next = 0;
  const isDone = (): boolean => {
    while (next < items.length) {
      if (visit(items[next++] as T) === false) return true;
      if (next < items.length && slice.over) return false;
    }
    return true;
  };
  return isDone() ? undefined : goOn(slice, isDone);
}

async function goOn(slice: TimeSlice, isDone: () => boolean): Promise<void> {
  do await slice.rest();
  while (!isDone());
}
