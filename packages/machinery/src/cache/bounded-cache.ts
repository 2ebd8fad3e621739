/** Bounds of a cache. Entries are always bounded; bytes only where `sizeOf` measures a value. */
export interface CacheLimits<K, V> {
  readonly entries: number;
  readonly bytes?: number;
  /** Size of an entry in bytes, computed once when it is added. Must return the same for the same entry. */
  readonly sizeOf?: (value: V, key: K) => number;
}

/**
 * A cache of at most `entries` entries, evicted in two generations. New entries go into the young generation. When that holds half
 * of a limit, it becomes the old generation, and the previous old generation is dropped. A hit in the old generation moves the entry
 * to the young one, so entries in use survive. A hit in the young generation is one `Map.get` and writes nothing.
 */
export class BoundedCache<K, V extends NonNullable<unknown> | null> {
  #young = new Map<K, V>();
  #old = new Map<K, V>();
  #youngBytes = 0;
  readonly #maxEntries: number;
  readonly #maxBytes: number;
  readonly #sizeOf: ((value: V, key: K) => number) | undefined;

  constructor(limits: CacheLimits<K, V>) {
    this.#maxEntries = Math.max(1, Math.floor(limits.entries / 2));
    this.#maxBytes = limits.bytes === undefined ? Number.POSITIVE_INFINITY : limits.bytes / 2;
    this.#sizeOf = limits.sizeOf;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  get(key: K): V | undefined {
    const value = this.#young.get(key);
    return value !== undefined || this.#old.size === 0 ? value : this.#promote(key);
  }

  /** Returns the cached value, or calls `create` and caches its result. */
  getOrCreate(key: K, create: (key: K) => V): V {
    const known = this.get(key);
    if (known !== undefined) return known;
    const value = create(key);
    this.set(key, value);
    return value;
  }

  /** Adds or replaces an entry. An entry larger than half of the byte limit is not cached. */
  set(key: K, value: V): void {
    this.delete(key);
    const bytes = this.#bytesOf(key, value);
    if (bytes <= this.#maxBytes) this.#add(key, value, bytes);
  }

  delete(key: K): boolean {
    const young = this.#young.get(key);
    if (young === undefined) return this.#old.delete(key);
    this.#youngBytes -= this.#bytesOf(key, young);
    return this.#young.delete(key);
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
    this.#youngBytes = 0;
  }

  #promote(key: K): V | undefined {
    const value = this.#old.get(key);
    if (value === undefined) return undefined;
    this.#old.delete(key);
    this.#add(key, value, this.#bytesOf(key, value));
    return value;
  }

  #add(key: K, value: V, bytes: number): void {
    if (this.#young.size >= this.#maxEntries || this.#youngBytes + bytes > this.#maxBytes) this.#turnOver();
    this.#young.set(key, value);
    this.#youngBytes += bytes;
  }

  #turnOver(): void {
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngBytes = 0;
  }

  #bytesOf(key: K, value: V): number {
    return this.#sizeOf === undefined ? 0 : this.#sizeOf(value, key);
  }
}

/** Computes a value once for each object, and keeps it as long as the object lives. The object must not change. */
export function memoize<K extends object, V>(compute: (object: K) => V): (object: K) => V {
  const known = new WeakMap<K, V>();
  return (object) => {
    let value = known.get(object);
    if (value === undefined) {
      value = compute(object);
      known.set(object, value);
    }
    return value;
  };
}
