import type { Batch, Change, Entry } from '../store.ts';
import type { History } from '../watch.ts';
import { RecentChanges } from './recent.ts';
import type { LogHead, State } from './records.ts';
import type { ReadOptions, Tables } from './tables.ts';

const PAGE_CHANGES = 256;
const PAGE_BYTES = 2 ** 20;

/** The changes of the store: the newest in memory, all others on the disk. */
export class Log implements History {
  readonly #tables: Tables;
  readonly #state: () => State;
  readonly #recent: RecentChanges;
  newest: number;

  constructor(tables: Tables, revision: number, state: () => State) {
    this.#tables = tables;
    this.#state = state;
    this.#recent = new RecentChanges(revision);
    this.newest = revision;
  }

  get compacted(): number {
    return this.#state().compacted;
  }

  /** Takes up a change that has been committed. */
  add(change: Change): void {
    this.#recent.add(change);
    this.newest = change.entry.revision;
  }

  page(from: number, prefix: string): Batch {
    return this.#recent.at(from) ? this.#recentPage(from, prefix) : this.#storedPage(from, prefix);
  }

  /** The entry that a revision wrote. */
  entryAt(revision: number): Entry {
    return this.#recent.at(revision)?.entry ?? readEntry(this.#tables, revision);
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
    for (const head of readHeads(this.#tables, from, end)) {
      if (!head.key.startsWith(prefix)) continue;
      const change = this.#change(head);
      changes.push(change);
      bytes += change.entry.value.length;
      if (bytes > PAGE_BYTES) return { changes, revision: head.revision };
    }
    return { changes, revision: end };
  }

  #change({ type, revision, previous }: LogHead): Change {
    const before = previous ? this.entryAt(previous) : undefined;
    const entry = type === 'delete' && before ? { ...before, revision } : readEntry(this.#tables, revision);
    return { type, entry, previous: before };
  }
}

/** The changes from one revision to another, inclusive, as far as compaction has left them. */
export function readHeads({ logHeads }: Tables, from: number, to: number, options?: ReadOptions): LogHead[] {
  const heads: LogHead[] = [];
  for (const { key: revision, value } of logHeads.getRange({ ...options, start: from, end: to + 1 })) {
    const { type, key, created, previous } = value;
    heads.push({ type, revision, key, created, previous });
  }
  return heads;
}

export function readEntry({ log }: Tables, revision: number, options?: ReadOptions): Entry {
  const record = log.get(revision, options) as Omit<Entry, 'revision'> | undefined;
  if (!record) throw new Error(`revision ${revision} is missing in the log`);
  return { key: record.key, value: record.value, revision, created: record.created };
}
