import { CorruptEntry, type Corruption, CorruptValue, type Entry } from '../store.ts';
import type { ReadOptions, Tables } from './environment.ts';
import { DAMAGED, type Damaged } from './file/records.ts';

/** Corrupt keys beyond this number are not tracked or logged. */
const MAX_KEYS = 10_000;

export type OnCorrupt = (error: CorruptValue) => void;

/** Location of a value, and the key it belongs to. */
export interface Pointer {
  readonly key: string;
  readonly revision: number;
  readonly created: number;
}

/** Keys with corrupt values. Each is reported once, until it is overwritten. */
export class CorruptValues implements Corruption {
  readonly #onCorrupt: OnCorrupt;
  readonly #revisions = new Map<string, number>();

  constructor(onCorrupt: OnCorrupt) {
    this.#onCorrupt = onCorrupt;
  }

  get count(): number {
    return this.#revisions.size;
  }

  add(error: CorruptValue): void {
    if (this.#revisions.get(error.key) === error.revision || this.#revisions.size >= MAX_KEYS) return;
    this.#revisions.set(error.key, error.revision);
    this.#onCorrupt(error);
  }

  /** The key was written or deleted. */
  forget(key: string): void {
    if (this.#revisions.size > 0) this.#revisions.delete(key);
  }
}

const OPENING_BRACE = 0x7b;

/** Reads values from the log and checks that each belongs to its key and revision. */
export class ValueReader {
  readonly #tables: Tables;
  readonly #corrupt: CorruptValues;

  constructor(tables: Tables, corrupt: CorruptValues) {
    this.#tables = tables;
    this.#corrupt = corrupt;
  }

  /** Reads a current value; a corrupt one is counted. */
  read(pointer: Pointer, options?: ReadOptions): Entry {
    const entry = this.readPast(pointer, options);
    if (entry instanceof CorruptEntry) this.#corrupt.add(entry.error);
    return entry;
  }

  /** A current value, without a copy: valid until anything else is read. Throws CorruptValue. */
  view(pointer: Pointer): Uint8Array {
    return (this.#viewed(pointer) ?? this.read(pointer)).value;
  }

  /** Verifies a value, which is read when it is accessed. Undefined if it is corrupt, or not a JSON object. */
  readLazily(pointer: Pointer, options?: ReadOptions): Entry | undefined {
    const value = this.#viewed(pointer, options)?.value;
    return value?.[0] === OPENING_BRACE ? new UnreadEntry(pointer, value.length, this) : undefined;
  }

  #viewed({ key, revision }: Pointer, options?: ReadOptions): Entry | undefined {
    const record = this.#tables.logViews.get(revision, options);
    return record !== undefined && record !== DAMAGED && record.revision === revision && record.key === key ? record : undefined;
  }

  readPast({ key, revision, created }: Pointer, options?: ReadOptions): Entry {
    const record = this.#tables.log.get(revision, options) as Entry | Damaged | undefined;
    if (record !== undefined && record !== DAMAGED && record.revision === revision && record.key === key) return record;
    const problem = record === undefined ? 'it is missing' : 'its checksum does not match';
    return new CorruptEntry(revision, created, new CorruptValue(key, revision, problem));
  }
}

/** An entry whose value is read when it is accessed, without a copy. */
class UnreadEntry implements Entry {
  readonly key: string;
  readonly revision: number;
  readonly created: number;
  readonly size: number;
  readonly #values: ValueReader;

  constructor({ key, revision, created }: Pointer, size: number, values: ValueReader) {
    this.key = key;
    this.revision = revision;
    this.created = created;
    this.size = size;
    this.#values = values;
  }

  get value(): Uint8Array {
    return this.#values.view(this);
  }
}
