import type { CacheEntry } from '../../watchcache/entry.ts';
import type { ObjectCache } from '../../watchcache/object-cache.ts';

/** Compiled forms of all objects of a resource, in the order of their names. */
export interface CompiledObjects<T> {
  /** A promise until the cache is loaded, and always in worker threads. */
  all(): readonly T[] | Promise<readonly T[]>;
}

interface Known<T> {
  readonly revision: number;
  readonly compiled: T;
}

const nothing: readonly never[] = [];

/**
 * Compiles each object once for each of its revisions. `release` is called with what is no longer used. `cache` is undefined if
 * the resource is not served.
 */
export function compiledObjects<T>(
  cache: ObjectCache | undefined,
  compile: (entry: CacheEntry) => T,
  release: (compiled: T) => void = () => {},
): CompiledObjects<T> {
  const known = new Map<string, Known<T>>();
  const read = (): readonly T[] => {
    if (!cache || (cache.size === 0 && known.size === 0)) return nothing;
    const entries = cache.slice(cache.prefix);
    const compiled = entries.map((entry) => compiledEntry(entry, known, compile, release));
    if (known.size > entries.length) forget(known, new Set(entries.map(({ key }) => key)), release);
    return compiled;
  };
  return {
    all() {
      const loading = cache?.loaded();
      return loading ? loading.then(read) : read();
    },
  };
}

function compiledEntry<T>(
  entry: CacheEntry,
  known: Map<string, Known<T>>,
  compile: (entry: CacheEntry) => T,
  release: (compiled: T) => void,
): T {
  const before = known.get(entry.key);
  if (before?.revision === entry.revision) return before.compiled;
  const compiled = compile(entry);
  if (before) release(before.compiled);
  known.set(entry.key, { revision: entry.revision, compiled });
  return compiled;
}

function forget<T>(known: Map<string, Known<T>>, present: ReadonlySet<string>, release: (compiled: T) => void): void {
  for (const [key, { compiled }] of known) {
    if (present.has(key)) continue;
    known.delete(key);
    release(compiled);
  }
}
