import { type LmdbEnvironment, readCommitted } from '../lmdb/environment.ts';
import { DAMAGED, type LogRecord, type State } from '../lmdb/file/records.ts';
import { LmdbLog } from '../lmdb/log.ts';
import type { ValueReader } from '../lmdb/values.ts';
import { type Batch, type Change, type Entry, Unavailable } from '../store.ts';
import { TimeSlice } from '../time-slice.ts';
import type { RevisionLog } from '../watches.ts';

/** Changes per batch, and those read without a pause: a few milliseconds. */
const CHANGES_AT_ONCE = 256;

/** Receives each batch, in order. */
type Deliver = (batch: Batch) => void;

/**
 * The log of a database that another process writes. The committed revision is read from the database, which takes a
 * microsecond; the changes up to it are read only when there are any.
 */
export class FollowedLog implements RevisionLog {
  readonly #tables: LmdbEnvironment;
  readonly #values: ValueReader;
  readonly #deliver: Deliver;
  readonly #log: LmdbLog;
  #state: State;
  #following: Promise<void> | undefined;

  constructor(tables: LmdbEnvironment, values: ValueReader, deliver: Deliver) {
    this.#tables = tables;
    this.#values = values;
    this.#deliver = deliver;
    this.#state = readCommitted(tables);
    this.#log = new LmdbLog(tables, values, this.#state.revision, () => this.#state);
  }

  /** The newest revision that was delivered. */
  get newest(): number {
    return this.#log.newest;
  }

  get compacted(): number {
    return this.#state.compacted;
  }

  page(from: number, prefix: string): Batch {
    return this.#log.page(from, prefix);
  }

  /**
   * Delivers the changes committed before the call. `values` are those of own writes by revision: the same buffers are
   * delivered.
   */
  catchUp(values?: ReadonlyMap<number, Uint8Array>): Promise<void> | undefined {
    this.#state = readCommitted(this.#tables);
    if (this.#state.revision <= this.newest) return undefined;
    if (this.#following) return this.#following.then(() => this.catchUp());
    if (this.#state.revision - this.newest > CHANGES_AT_ONCE) return this.#followInSlices();
    this.#deliverUpTo(this.#state.revision, values);
    return undefined;
  }

  #followInSlices(): Promise<void> {
    const target = this.#state.revision;
    this.#following = this.#follow(target).finally(() => {
      this.#following = undefined;
    });
    return this.#following;
  }

  async #follow(target: number): Promise<void> {
    const slice = new TimeSlice();
    while (this.newest < target) {
      this.#deliverUpTo(Math.min(target, this.newest + CHANGES_AT_ONCE));
      if (slice.over) await slice.rest();
    }
  }

  #deliverUpTo(revision: number, values?: ReadonlyMap<number, Uint8Array>): void {
    const changes = this.#changes(this.newest + 1, revision, values);
    this.#log.newest = revision;
    this.#deliver({ changes, revision });
  }

  #changes(from: number, to: number, values: ReadonlyMap<number, Uint8Array> | undefined): Change[] {
    const { logRecords } = this.#tables;
    const changes: Change[] = [];
    for (const { key: revision, value: record } of logRecords?.getRange({ start: from, end: to + 1 }) ?? []) {
      if (record === DAMAGED || record.revision !== revision) break;
      changes.push(this.#change(record, values?.get(revision)));
    }
    // Compaction waits for this process, so a gap is damage. A new process lists instead.
    if (changes.length !== to - from + 1) throw new Unavailable(`the change of revision ${from + changes.length} cannot be read`);
    return changes;
  }

  #change(record: LogRecord, ownValue: Uint8Array | undefined): Change {
    const { type, key, revision, created } = record;
    const before = record.previous ? new PreviousEntry(key, record.previous, created, this.#values) : undefined;
    const entry = type === 'delete' && before ? before.at(revision) : { key, revision, created, value: ownValue ?? record.value };
    return { type, entry, previous: before };
  }
}

/** The replaced value of a change, which few listeners need: read on first access. Throws CorruptValue. */
class PreviousEntry implements Entry {
  readonly key: string;
  readonly revision: number;
  readonly created: number;
  readonly #read: () => Entry;
  #entry: Entry | undefined;

  constructor(key: string, revision: number, created: number, values: ValueReader, valueRevision = revision) {
    this.key = key;
    this.revision = revision;
    this.created = created;
    this.#read = () => values.readPast({ key, revision: valueRevision, created });
    this.at = (other) => new PreviousEntry(key, other, created, values, valueRevision);
  }

  /** The same value with the revision of its delete. */
  readonly at: (revision: number) => PreviousEntry;

  get value(): Uint8Array {
    this.#entry ??= this.#read();
    return this.#entry.value;
  }
}
