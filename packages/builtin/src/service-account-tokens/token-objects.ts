import { type CacheEntry, decodeObject, type ObjectRegistry } from '@tsukube/apiserver';
import { type JsonObject, textIn } from '@tsukube/machinery';

/** What a token may hang on, by the plural of its kind. */
export type BoundKind = 'serviceaccounts' | 'secrets' | 'pods' | 'nodes';

export interface FoundObject {
  readonly entry: CacheEntry;
  readonly object: JsonObject;
  readonly uid: string;
  /** When its deletion was asked for. */
  readonly deletedAt: number | undefined;
}

/** Looks objects up in memory, and in the store where memory does not know them. At once where it can. */
export type FindObject = (
  kind: BoundKind,
  namespace: string,
  name: string,
) => FoundObject | undefined | Promise<FoundObject | undefined>;

export function objectFinder(registryOf: (kind: BoundKind) => ObjectRegistry | undefined): FindObject {
  const read = new WeakMap<CacheEntry, FoundObject>();
  const found = (entry: CacheEntry | undefined): FoundObject | undefined => {
    if (!entry) return undefined;
    const known = read.get(entry) ?? readEntry(entry);
    read.set(entry, known);
    return known;
  };
  const find: FindObject = (kind, namespace, name) => {
    const registry = registryOf(kind);
    if (!registry) return undefined;
    const { cache } = registry;
    const loading = cache.loaded();
    if (loading) return loading.then(() => find(kind, namespace, name));
    const key = registry.key(namespace, name);
    const entry = cache.peek(key);
    if (entry) return found(entry);
    return cache
      .fresh()
      ?.then(() => cache.get(key))
      .then(found);
  };
  return find;
}

function readEntry(entry: CacheEntry): FoundObject {
  const object = decodeObject(entry.value);
  const metadata = object.metadata as JsonObject;
  const deleted = textIn(metadata, 'deletionTimestamp');
  return { entry, object, uid: textIn(metadata, 'uid'), deletedAt: deleted === '' ? undefined : Date.parse(deleted) };
}
