import { type Change, CorruptEntry, type Entry } from './store.ts';

const MAX_CHANGES = 4096;
const MAX_BYTES = 16 * 2 ** 20;

/** Ring buffer of the newest changes, for watches that keep up and for consecutive writes of a key. */
export class RecentChanges {
  readonly #ring = new Array<Change | undefined>(MAX_CHANGES);
  #oldest: number;
  #newest: number;
  #bytes = 0;

  constructor(revision: number) {
    this.#oldest = revision + 1;
    this.#newest = revision;
  }

  /** Changes must be added in order of revision, without gaps. */
  add(change: Change): void {
    if (this.#newest - this.#oldest + 1 === MAX_CHANGES) this.#dropOldest();
    this.#newest = change.entry.revision;
    this.#ring[this.#newest % MAX_CHANGES] = change;
    this.#bytes += bytesOf(change);
    while (this.#bytes > MAX_BYTES && this.#oldest < this.#newest) this.#dropOldest();
  }

  at(revision: number): Change | undefined {
    return revision >= this.#oldest && revision <= this.#newest ? this.#ring[revision % MAX_CHANGES] : undefined;
  }

  #dropOldest(): void {
    const at = this.#oldest++ % MAX_CHANGES;
    const dropped = this.#ring[at];
    this.#ring[at] = undefined;
    if (dropped) this.#bytes -= bytesOf(dropped);
  }
}

/** The previous value is usually shared with an earlier change; counting it twice overestimates. */
function bytesOf({ entry, previous }: Change): number {
  return valueBytes(entry) + (previous ? valueBytes(previous) : 0);
}

function valueBytes(entry: Entry): number {
  return entry instanceof CorruptEntry ? 0 : entry.value.length;
}
