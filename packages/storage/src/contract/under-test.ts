import type { Store } from '../store.ts';

/** A store opened for one test, on data of its own. */
export interface StoreUnderTest {
  readonly store: Store;
  /** Lets the time of the store pass. Absent where it runs on real time: the suite then waits. */
  advance?(seconds: number): void;
  /** Opens the same data again, as after the death of the process. Absent where data dies with the process. */
  reopen?(): Promise<StoreUnderTest>;
  /** Closes the store, which may be closed already, and disposes of the data. */
  close(): Promise<void>;
}

export type OpenStore = () => Promise<StoreUnderTest>;
