import { setKey } from '@tsukube/machinery';

/** A map of strings in key order, as Go encodes maps. */
export function sortedMap(map: ReadonlyMap<string, string>): Record<string, string> {
  const sorted: Record<string, string> = {};
  for (const [key, value] of [...map].sort(([a], [b]) => (a < b ? -1 : 1))) setKey(sorted, key, value);
  return sorted;
}
