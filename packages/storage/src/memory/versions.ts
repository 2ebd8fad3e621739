import { firstKey, lowerBound } from '../keys.ts';
import type { Change, Entry, ListOptions, Page } from '../store.ts';

/** What each key held, at every revision that can still be asked for. */
export class Versions {
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

  page(prefix: string, revision: number, { from, limit }: ListOptions): Page {
    const entries: Entry[] = [];
    let count = 0;
    for (let i = lowerBound(this.#keys, firstKey(prefix, from)); i < this.#keys.length; i++) {
      const key = this.#keys[i] as string;
      if (!key.startsWith(prefix)) break;
      const entry = this.#at(key, revision);
      if (!entry) continue;
      if (!limit || count < limit) entries.push(entry);
      count++;
    }
    return { entries, revision, count, more: count > entries.length };
  }

  /** Drops what a key held only before a revision. */
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
