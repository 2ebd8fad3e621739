import { firstKey, lowerBound } from '../keys.ts';
import { type Batch, type Change, Compacted, type Entry, FutureRevision, type Page, type StoreListOptions } from '../store.ts';
import type { RevisionLog } from '../watches.ts';

/** The versions of each key that can still be read. */
export class KeyVersions {
  readonly #changes = new Map<string, Change[]>();
  readonly #keys: string[] = [];

  newest(key: string): Entry | undefined {
    return entryOf(this.#changes.get(key)?.at(-1));
  }

  add(change: Change): void {
    const { key } = change.entry;
    const changes = this.#changes.get(key);
    if (changes) changes.push(change);
    else {
      this.#changes.set(key, [change]);
      this.#keys.splice(lowerBound(this.#keys, key), 0, key);
    }
  }

  page(prefix: string, revision: number, { from, limit }: StoreListOptions): Page {
    const entries: Entry[] = [];
    let count = 0;
    for (let i = lowerBound(this.#keys, firstKey(prefix, from)); i < this.#keys.length; i++) {
      const key = this.#keys[i];
      if (!key?.startsWith(prefix)) break;
      const entry = this.#at(key, revision);
      if (!entry) continue;
      if (!limit || count < limit) entries.push(entry);
      count++;
    }
    return { entries, revision, count, more: count > entries.length };
  }

  /** Drops the versions of a key that are compacted. */
  forget(key: string, revision: number): void {
    const changes = this.#changes.get(key);
    if (!changes) return;
    const kept = changes.findLastIndex(({ entry }) => entry.revision <= revision);
    changes.splice(0, changes[kept]?.type === 'delete' ? kept + 1 : kept);
    if (changes.length === 0) this.#remove(key);
  }

  #at(key: string, revision: number): Entry | undefined {
    return entryOf(this.#changes.get(key)?.findLast(({ entry }) => entry.revision <= revision));
  }

  #remove(key: string): void {
    this.#changes.delete(key);
    this.#keys.splice(lowerBound(this.#keys, key), 1);
  }
}

function entryOf(change: Change | undefined): Entry | undefined {
  return change?.type === 'put' ? change.entry : undefined;
}

const FIRST_REVISION = 1;
const PAGE = 1000;

/** All changes since the last compaction, one per revision. */
export class ChangeLog implements RevisionLog {
  #changes: Change[] = [];
  newest = FIRST_REVISION;
  compacted = 0;

  add(change: Change): void {
    this.#changes.push(change);
    this.newest = change.entry.revision;
  }

  page(from: number, prefix: string): Batch {
    const start = Math.max(0, from - this.#oldest);
    const page = this.#changes.slice(start, start + PAGE);
    const revision = page.at(-1)?.entry.revision ?? this.newest;
    return { changes: page.filter(({ entry }) => entry.key.startsWith(prefix)), revision };
  }

  checkListable(revision: number): void {
    if (revision > this.newest) throw new FutureRevision(this.newest);
    if (revision < this.compacted) throw new Compacted(this.compacted);
  }

  /** Drops the changes up to a revision and returns them. */
  forget(revision: number): Change[] {
    if (revision <= this.compacted) return [];
    const forgotten = this.#changes.splice(0, Math.max(0, revision + 1 - this.#oldest));
    this.compacted = revision;
    return forgotten;
  }

  get #oldest(): number {
    return this.newest + 1 - this.#changes.length;
  }
}
