import { CorruptEntry, CorruptValue, type Entry, isEncrypted, type Store, UnreadableValue } from '@tsukube/storage';
import { type Allocate, allocateAlone, allocateFromSlabs, type CacheEntry, type Present } from './entry.ts';

/** Reads evicted values again. `turn` is the clock of eviction. */
export interface ValueSource {
  readonly turn: number;
  /** Whether a value that was read again is kept until it is evicted. */
  readonly keepsValues: boolean;
  /** Throws CorruptValue. */
  read(revision: number, key: string): Buffer;
}

/** The source of a value that is known to be corrupt. */
class CorruptSource implements ValueSource {
  readonly turn = 0;
  readonly keepsValues = false;
  readonly error: CorruptValue;
  constructor(error: CorruptValue) {
    this.error = error;
  }
  read(): never {
    throw this.error;
  }
}

/** An entry whose value can be evicted, and is then read again from its source. */
export class EvictableEntry implements CacheEntry {
  readonly key: string;
  readonly revision: number;
  readonly created: number;
  readonly size: number;
  derived: object | undefined = undefined;
  #source: ValueSource;
  #value: Buffer | undefined;
  #since: number;

  /** `value` is undefined for one that is evicted. */
  constructor(key: string, revision: number, created: number, value: Buffer | undefined, source: ValueSource, size = 0) {
    this.key = key;
    this.revision = revision;
    this.created = created;
    this.size = value?.length ?? size;
    this.#source = source;
    this.#value = value;
    this.#since = source.turn;
  }

  /** An entry with a corrupt value: only reads of it fail. */
  static corrupt({ key, revision, created, error }: CorruptEntry): EvictableEntry {
    return new EvictableEntry(key, revision, created, undefined, new CorruptSource(error));
  }

  get corrupt(): CorruptValue | undefined {
    return this.#source instanceof CorruptSource ? this.#source.error : undefined;
  }

  get value(): Buffer {
    return this.#value ?? this.#read();
  }

  /** Evicts the value if it was read or written before the given turn. Returns whether it did. */
  evict(before: number): boolean {
    if (this.#value === undefined || this.#since >= before) return false;
    this.#value = undefined;
    return true;
  }

  #read(): Buffer {
    let value: Buffer;
    try {
      value = this.#source.read(this.revision, this.key);
    } catch (error) {
      if (error instanceof CorruptValue) this.#source = new CorruptSource(error);
      throw error;
    }
    if (this.#source.keepsValues) this.#value = value;
    this.#since = this.#source.turn;
    return value;
  }
}

/** kube-apiserver's error for an encrypted value of a resource without a provider. */
const encryptedUnexpectedly = 'identity transformer tried to read encrypted data';

const asStored: Present = (value, _revision, allocate) => {
  const copy = allocate(value.length);
  copy.set(value);
  return copy;
};

/** Presents the values of a store, and reads evicted ones again. */
export class StoreSource implements ValueSource {
  turn = 1;
  /** Processes that share a database also share the pages of its file: each keeping all values would multiply them. */
  readonly keepsValues: boolean;
  readonly #store: Store;
  readonly #present: Present;
  readonly #allocate: Allocate;

  constructor(store: Store, present: Present = asStored) {
    this.#store = store;
    this.#present = present;
    this.keepsValues = !(store.catchUp && store.valueAt);
    this.#allocate = store.valueAt ? allocateFromSlabs() : allocateAlone;
  }

  read(revision: number, key: string): Buffer {
    return this.#present(this.#store.valueAt?.(revision, key) as Uint8Array, revision, this.#allocate);
  }

  /** An entry of a whole list, of which few may be read soon. */
  enterListed(listed: Entry): EvictableEntry {
    const { key, revision, created, size } = listed;
    if (size !== undefined) return new EvictableEntry(key, revision, created, undefined, this, size);
    const entry = this.enter(listed);
    if (!this.keepsValues) entry.evict(Number.POSITIVE_INFINITY);
    return entry;
  }

  /** Throws UnreadableValue. */
  enter(entry: Entry): EvictableEntry {
    if (entry instanceof CorruptEntry) return EvictableEntry.corrupt(entry);
    const { key, value, revision, created } = entry;
    try {
      return new EvictableEntry(key, revision, created, this.#present(value, revision, this.#allocate), this);
    } catch (error) {
      throw new UnreadableValue(key, revision, isEncrypted(value) ? new Error(encryptedUnexpectedly) : error);
    }
  }
}
