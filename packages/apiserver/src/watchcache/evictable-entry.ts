import { type CorruptEntry, CorruptValue } from '@tsukube/storage';
import type { CacheEntry } from './entry.ts';

/** Where the value of an entry can be had again, and the time by which it is told how long it has been held. */
export interface Source {
  readonly turn: number;
  /** Throws CorruptValue. */
  read(revision: number, key: string): Buffer;
}

/** The source of a value that is known to be damaged. */
class CorruptSource implements Source {
  readonly turn = 0;
  readonly error: CorruptValue;
  constructor(error: CorruptValue) {
    this.error = error;
  }
  read(): never {
    throw this.error;
  }
}

/** An entry of the cache. Its value is read again from its source after it was let go. */
export class EvictableEntry implements CacheEntry {
  readonly key: string;
  readonly revision: number;
  readonly created: number;
  readonly size: number;
  derived: object | undefined = undefined;
  #source: Source;
  #value: Buffer | undefined;
  #since: number;

  constructor(key: string, revision: number, created: number, value: Buffer | undefined, source: Source) {
    this.key = key;
    this.revision = revision;
    this.created = created;
    this.size = value?.length ?? 0;
    this.#source = source;
    this.#value = value;
    this.#since = source.turn;
  }

  /** A damaged value fails whoever reads it, and nobody else. */
  static corrupt({ key, revision, created, error }: CorruptEntry): EvictableEntry {
    return new EvictableEntry(key, revision, created, undefined, new CorruptSource(error));
  }

  get corrupt(): CorruptValue | undefined {
    return this.#source instanceof CorruptSource ? this.#source.error : undefined;
  }

  get value(): Buffer {
    return this.#value ?? this.#read();
  }

  /** Lets go of the value if it was last read from the source, or came, before a turn. */
  release(before: number): boolean {
    if (this.#value === undefined || this.#since >= before) return false;
    this.#value = undefined;
    return true;
  }

  #read(): Buffer {
    try {
      this.#value = this.#source.read(this.revision, this.key);
    } catch (error) {
      if (error instanceof CorruptValue) this.#source = new CorruptSource(error);
      throw error;
    }
    this.#since = this.#source.turn;
    return this.#value;
  }
}
