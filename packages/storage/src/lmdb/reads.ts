import { isTooLong } from '../keys.ts';
import type { Page, StoreListOptions } from '../store.ts';
import type { LmdbEnvironment } from './environment.ts';
import { type Damaged, type Head, soundHead } from './file/records.ts';
import { listPrefix, Snapshot } from './list.ts';
import { CorruptValues, type OnCorrupt, ValueReader } from './values.ts';

/** Reads of an open database, in the process that writes it and in those that only read. */
export class LmdbReads {
  readonly corrupt: CorruptValues;
  readonly values: ValueReader;
  readonly #tables: LmdbEnvironment;
  readonly #checkOpen: () => void;
  readonly #lists = new Set<Promise<unknown>>();

  /** `checkOpen` throws if the store was closed. */
  constructor(tables: LmdbEnvironment, checkOpen: () => void, onCorrupt: OnCorrupt) {
    this.#tables = tables;
    this.#checkOpen = checkOpen;
    this.corrupt = new CorruptValues(onCorrupt);
    this.values = new ValueReader(tables, this.corrupt);
  }

  /** The location of the newest committed value of a key. Throws CorruptValue if the index is corrupt. */
  head(key: string): Head | undefined {
    const head = isTooLong(key) ? undefined : (this.#tables.current.get(key) as Head | Damaged | undefined);
    return head && soundHead(key, head);
  }

  async list(prefix: string, options: StoreListOptions, compacted: number): Promise<Page> {
    const snapshot = new Snapshot(this.#tables, this.#checkOpen);
    const listing = listPrefix(this.#tables, this.values, snapshot, compacted, prefix, options).finally(() => {
      snapshot.release();
      this.#lists.delete(listing);
    });
    this.#lists.add(listing);
    return listing;
  }

  /** Unmaps the file, unless a list in progress still reads in its transaction. */
  trim(): void {
    if (this.#lists.size === 0) this.#tables.reopen();
  }

  /** Waits for lists, and closes the database. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#lists);
    // Closing reads the memory map.
    if (!this.#tables.guard.hasFailed) await this.#tables.root.close();
  }
}
