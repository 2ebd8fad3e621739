import { type CacheEntry, decodeObject, type ObjectCache } from '@tsukube/apiserver';
import { BoundedCache, type JsonObject, type KubeObject } from '@tsukube/machinery';

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
