import type { CacheEntry } from './entry.ts';

/** Where the value of an entry can be had again, and the time by which it is told how long it has been held. */
export interface Source {
  readonly turn: number;
  read(revision: number, key: string): Buffer;
}

/** An entry of the cache. Its value is read again from its source after it was let go. */
export class HeldEntry implements CacheEntry {
  readonly key: string;
  readonly revision: number;
  readonly created: number;
  readonly size: number;
  derived: object | undefined = undefined;
  readonly #source: Source;
  #value: Buffer | undefined;
  #since: number;

  /** Without a value, it is read when it is asked for. */
  constructor(key: string, revision: number, created: number, value: Buffer | undefined, source: Source) {
    this.key = key;
    this.revision = revision;
    this.created = created;
    this.size = value?.length ?? 0;
    this.#source = source;
    this.#value = value;
    this.#since = source.turn;
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
    this.#value = this.#source.read(this.revision, this.key);
    this.#since = this.#source.turn;
    return this.#value;
  }
}
