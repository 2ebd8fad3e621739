import { type Batch, type Change, Compacted, FutureRevision } from '../store.ts';
import type { History } from '../watch.ts';

const FIRST_REVISION = 1;
const PAGE = 1000;

/** Every change since the last compaction, one for each revision. */
export class ChangeLog implements History {
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

  /** Drops the changes up to a revision and gives them. */
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
