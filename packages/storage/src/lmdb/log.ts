import { RecentChanges } from '../recent-changes.ts';
import { type Batch, type Change, Compacted, CorruptEntry, type Entry, withRevision } from '../store.ts';
import type { RevisionLog } from '../watches.ts';
import type { LmdbEnvironment, ReadOptions } from './environment.ts';
import { DAMAGED, type Damaged, type LogHead, type State } from './file/records.ts';
import type { Pointer, ValueReader } from './values.ts';

const PAGE_CHANGES = 256;
const PAGE_BYTES = 2 ** 20;
/** Revision 1 is that of an empty store. */
const FIRST_WRITTEN = 2;

/** The changes of the store: recent ones from memory, older ones from disk. */
export class LmdbLog implements RevisionLog {
  readonly #tables: LmdbEnvironment;
  readonly #values: ValueReader;
  readonly #state: () => State;
  readonly #recent: RecentChanges;
  newest: number;

  constructor(tables: LmdbEnvironment, values: ValueReader, revision: number, state: () => State) {
    this.#tables = tables;
    this.#values = values;
    this.#state = state;
    this.#recent = new RecentChanges(revision);
    this.newest = revision;
  }

  get compacted(): number {
    return this.#state().compacted;
  }

  /** Adds a committed change. */
  add(change: Change): void {
    this.#recent.add(change);
    this.newest = change.entry.revision;
  }

  /** Throws Compacted if a change is corrupt: watchers must list again. */
  page(from: number, prefix: string): Batch {
    return this.#recent.at(from) ? this.#recentPage(from, prefix) : this.#storedPage(from, prefix);
  }

  /** The newest entry of a key, by its revision. */
  entryAt(pointer: Pointer): Entry {
    return this.#recent.at(pointer.revision)?.entry ?? this.#values.read(pointer);
  }

  /** The newest value of a key, by its revision; valid until anything else is read. Throws CorruptValue. */
  valueAt(pointer: Pointer): Uint8Array {
    return this.#recent.at(pointer.revision)?.entry.value ?? this.#values.view(pointer);
  }

  #recentPage(from: number, prefix: string): Batch {
    const revision = Math.min(this.newest, from + PAGE_CHANGES - 1);
    const changes: Change[] = [];
    for (let each = from; each <= revision; each++) {
      const change = this.#recent.at(each) as Change;
      if (change.entry.key.startsWith(prefix)) changes.push(change);
    }
    return { changes, revision };
  }

  #storedPage(from: number, prefix: string): Batch {
    const end = Math.min(this.newest, from + PAGE_CHANGES - 1);
    const changes: Change[] = [];
    let bytes = 0;
    let next = Math.max(from, FIRST_WRITTEN);
    for (const head of readHeads(this.#tables, from, end)) {
      if (head === DAMAGED || head.revision !== next++) throw new Compacted(next);
      if (!head.key.startsWith(prefix)) continue;
      const change = this.#change(head);
      changes.push(change);
      bytes += change.entry.value.length;
      if (bytes > PAGE_BYTES) return { changes, revision: head.revision };
    }
    if (next <= end) throw new Compacted(end + 1);
    return { changes, revision: end };
  }

  #change({ type, key, revision, previous, created }: LogHead): Change {
    const before = previous ? this.#pastEntry({ key, revision: previous, created }) : undefined;
    const entry = type === 'delete' && before ? withRevision(before, revision) : this.#pastEntry({ key, revision, created });
    if (before instanceof CorruptEntry || entry instanceof CorruptEntry) throw new Compacted(revision + 1);
    return { type, entry, previous: before };
  }

  #pastEntry(pointer: Pointer): Entry {
    return this.#recent.at(pointer.revision)?.entry ?? this.#values.readPast(pointer);
  }
}

/** The changes in [from, to] that have not been swept. */
export function readHeads(tables: LmdbEnvironment, from: number, to: number, options?: ReadOptions): (LogHead | Damaged)[] {
  tables.guard.beforeRead();
  const heads: (LogHead | Damaged)[] = [];
  for (const { key: revision, value } of tables.logHeads.getRange({ ...options, start: from, end: to + 1 }))
    heads.push(value === DAMAGED || value.revision !== revision ? DAMAGED : value);
  return heads;
}
