import { Compacted, type Entry, FutureRevision, type ListOptions, type Page } from '../store.ts';
import { readEntry } from './log.ts';
import { past } from './past.ts';
import { KeyRange } from './range.ts';
import type { Head } from './records.ts';
import type { Snapshot } from './snapshot.ts';
import type { Tables } from './tables.ts';

/** Where the values of a page are, in the order of keys. */
export interface Selection {
  revisions(limit: number): Iterable<number>;
  count(): Promise<number>;
}

export async function list(
  tables: Tables,
  snapshot: Snapshot,
  compacted: number,
  prefix: string,
  { from, limit = 0, revision: asked }: ListOptions,
): Promise<Page> {
  const revision = asked || snapshot.revision;
  if (revision > snapshot.revision) throw new FutureRevision(snapshot.revision);
  if (revision < compacted) throw new Compacted(compacted);
  const range = new KeyRange(prefix, from);
  const atPresent = present(tables, snapshot, range);
  const selection = revision === snapshot.revision ? atPresent : await past(tables, snapshot, range, revision);
  return page(tables, snapshot, selection, revision, limit);
}

async function page(tables: Tables, snapshot: Snapshot, selection: Selection, revision: number, limit: number): Promise<Page> {
  const entries: Entry[] = [];
  for (const written of selection.revisions(limit)) {
    entries.push(readEntry(tables, written, snapshot.options));
    if (snapshot.tired) await snapshot.rest();
  }
  const count = limit > 0 && entries.length === limit ? await selection.count() : entries.length;
  return { entries, revision, count, more: count > entries.length };
}

function present(tables: Tables, snapshot: Snapshot, range: KeyRange): Selection {
  return {
    *revisions(limit) {
      const options = { ...snapshot.options, ...range.bounds, limit: limit || undefined };
      for (const { value } of tables.current.getRange(options)) yield (value as Head).revision;
    },
    count: () => range.count(tables, snapshot),
  };
}
