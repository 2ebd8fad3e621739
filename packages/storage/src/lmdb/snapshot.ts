import { Unavailable } from '../store.ts';
import { TimeSlice } from '../time-slice.ts';
import { readState, type Tables } from './tables.ts';

/** One state of the database for a read that takes more than a turn of the loop. */
export class Snapshot {
  readonly options: { readonly transaction: ReturnType<Tables['root']['useReadTransaction']> };
  readonly revision: number;
  readonly #slice = new TimeSlice();
  readonly #isClosed: () => boolean;

  constructor(tables: Tables, isClosed: () => boolean) {
    this.options = { transaction: tables.root.useReadTransaction() };
    this.revision = readState(tables, this.options).revision;
    this.#isClosed = isClosed;
  }

  get tired(): boolean {
    return this.#slice.over;
  }

  /** To be awaited whenever `tired`. Fails if the store was closed meanwhile. */
  async rest(): Promise<void> {
    await this.#slice.rest();
    if (this.#isClosed()) throw new Unavailable('the store is closed');
  }

  /** While a snapshot is held, the database cannot reuse the space of what it shows. */
  release(): void {
    this.options.transaction.done();
  }
}
