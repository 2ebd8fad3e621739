import { type CacheEntry, decodeObject, type ObjectCache } from '@tsukube/apiserver';
import { BoundedCache, type JsonObject, type KubeObject, mapIn, metadataOf, textIn } from '@tsukube/machinery';

/** Runs `act` when the cache may be read: at once if it is fresh, or not served. */
export function whenFresh(cache: ObjectCache | undefined, act: () => void): void | Promise<void> {
  const waiting = cache?.fresh();
  return waiting ? waiting.then(act) : act();
}

/** The current object of a cluster-scoped kind. Call `whenFresh` before. */
export function peekObject(cache: ObjectCache | undefined, name: string): KubeObject | undefined {
  const entry = name === '' ? undefined : cache?.peek(`${cache.prefix}${name}`);
  return entry && decodeObject(entry.value);
}

const maxDecoded = 1_000;

/** Decodes objects that many writes read, once for each revision. The result must not be changed. */
export function decodedObjects(): (entry: CacheEntry) => JsonObject {
  const known = new BoundedCache<string, { readonly revision: number; readonly object: JsonObject }>({ entries: maxDecoded });
  return ({ key, revision, value }) => {
    const last = known.get(key);
    if (last?.revision === revision) return last.object;
    const object = decodeObject(value);
    known.set(key, { revision, object });
    return object;
  };
}

/**
 * The name of the class that one of the annotations marks as default. The newest of several; of equally old ones the first by
 * name.
 */
export function defaultClassName(classes: ObjectCache, annotations: readonly string[]): string | undefined {
  const marks = annotations.map((key) => Buffer.from(key));
  let found: { readonly name: string; readonly created: string } | undefined;
  for (const entry of classes.range(classes.prefix)) {
    // A cheap search of the bytes; the object is parsed only on a hit.
    if (!marks.some((mark) => entry.value.includes(mark))) continue;
    const metadata = metadataOf(decodeObject(entry.value));
    const given = mapIn(metadata, 'annotations');
    if (!annotations.some((key) => given[key] === 'true')) continue;
    const candidate = { name: textIn(metadata, 'name'), created: textIn(metadata, 'creationTimestamp') };
    if (!found || candidate.created > found.created) found = candidate;
  }
  return found?.name;
}
