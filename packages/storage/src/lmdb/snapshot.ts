import { TimeSlice } from '../time-slice.ts';
import { readState, type Tables } from './tables.ts';

/** One state of the database for a read that takes more than a turn of the loop. */
export class Snapshot {
  readonly options: { readonly transaction: ReturnType<Tables['root']['useReadTransaction']> };
  readonly revision: number;
  readonly #slice = new TimeSlice();
  readonly #checkOpen: () => void;

  /** `checkOpen` fails if nothing may be read any more. */
  constructor(tables: Tables, checkOpen: () => void) {
    this.options = { transaction: tables.root.useReadTransaction() };
    this.revision = readState(tables, this.options).revision;
    this.#checkOpen = checkOpen;
  }

  get tired(): boolean {
    return this.#slice.over;
  }

  /** To be awaited whenever `tired`. Fails if the store was closed meanwhile. */
  async rest(): Promise<void> {
    await this.#slice.rest();
    this.#checkOpen();
  }

  /** While a snapshot is held, the database cannot reuse the space of what it shows. */
  release(): void {
    this.options.transaction.done();
  }
}
