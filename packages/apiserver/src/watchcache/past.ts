import type { CacheEntry, CacheEvent } from './entry.ts';
import { comesBefore } from './key-order.ts';
import type { SortedEntries } from './sorted-entries.ts';

/** The entries as they were before some events: the present with those events undone. */
export function entriesAt(entries: SortedEntries, later: readonly CacheEvent[], prefix: string, from: string): CacheEntry[] {
  const present = entries.slice(prefix, from, Number.POSITIVE_INFINITY);
  const before = new Map<string, CacheEntry | undefined>();
  for (const { entry, previous } of later) {
    if (entry.key.startsWith(prefix) && !comesBefore(entry.key, from) && !before.has(entry.key)) before.set(entry.key, previous);
  }
  if (before.size === 0) return present;
  const untouched = present.filter((entry) => !before.has(entry.key));
  const restored = [...before.values()].filter((entry) => entry !== undefined);
  return mergeByKey(
    untouched,
    restored.sort((a, b) => (comesBefore(a.key, b.key) ? -1 : 1)),
  );
}

function mergeByKey(a: readonly CacheEntry[], b: readonly CacheEntry[]): CacheEntry[] {
  const merged: CacheEntry[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const left = a[i];
    const right = b[j];
    if (left && (!right || comesBefore(left.key, right.key))) {
      merged.push(left);
      i++;
    } else {
      merged.push(right as CacheEntry);
      j++;
    }
  }
  return merged;
}
