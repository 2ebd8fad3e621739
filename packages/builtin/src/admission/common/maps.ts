import { isObject, type JsonObject, setKey } from '@tsukube/machinery';

/** Sets entries of a map of strings, and keeps its keys in Kubernetes' order, sorted. */
export function addToMap(owner: JsonObject, field: string, added: Readonly<Record<string, string>>): void {
  const map = owner[field];
  const all = new Map([...(isObject(map) ? Object.entries(map) : []), ...Object.entries(added)]);
  if (all.size === 0) return;
  const sorted: JsonObject = {};
  for (const key of [...all.keys()].sort()) setKey(sorted, key, all.get(key) as string);
  owner[field] = sorted;
}
