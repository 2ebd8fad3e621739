import { Compacted, type Entry, FutureRevision, type ListOptions, type Page } from '../store.ts';
import type { Pointer, Values } from './corrupt-values.ts';
import type { Environment } from './environment.ts';
import { past } from './past.ts';
import { KeyRange } from './range.ts';
import type { Snapshot } from './snapshot.ts';

/** Where the values of a page are, in the order of keys. */
export interface Selection {
  pointers(limit: number): Iterable<Pointer>;
  count(): Promise<number>;
}

export async function list(
  tables: Environment,
  values: Values,
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
  return page(values, snapshot, selection, revision, limit);
}

async function page(values: Values, snapshot: Snapshot, selection: Selection, revision: number, limit: number): Promise<Page> {
  const entries: Entry[] = [];
  const isPresent = revision === snapshot.revision;
  for (const pointer of selection.pointers(limit)) {
    entries.push(isPresent ? values.read(pointer, snapshot.options) : values.readPast(pointer, snapshot.options));
    if (snapshot.tired) await snapshot.rest();
  }
  const count = limit > 0 && entries.length === limit ? await selection.count() : entries.length;
  return { entries, revision, count, more: count > entries.length };
}

function present(tables: Environment, snapshot: Snapshot, range: KeyRange): Selection {
  return {
    pointers: (limit) => range.pointers(tables, snapshot, limit),
    count: () => range.count(tables, snapshot),
  };
}
