import type { EvictableEntry } from './evictable-entry.ts';

const chunkSize = 512;

/**
 * Entries in key order, in chunks short enough that an insertion moves little memory. A map serves point lookups.
 */
export class SortedEntries {
  readonly #byKey = new Map<string, EvictableEntry>();
  #chunks: EvictableEntry[][] = [[]];
  #bytes = 0;
  /** String comparison, until the first key for which it differs from byte order. */
  #before: (a: string, b: string) => boolean = lessThan;

  get size(): number {
    return this.#byKey.size;
  }

  /** The size of all values. */
  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): EvictableEntry | undefined {
    return this.#byKey.get(key);
  }

  all(): Iterable<EvictableEntry> {
    return this.#byKey.values();
  }

  /** Adds entries that are in order and come after all others. */
  append(entries: readonly EvictableEntry[]): void {
    if (this.size === 0) this.#chunks = [];
    for (let i = 0; i < entries.length; i += chunkSize / 2) this.#chunks.push(entries.slice(i, i + chunkSize / 2));
    if (this.#chunks.length === 0) this.#chunks.push([]);
    for (const entry of entries) {
      this.#byKey.set(entry.key, entry);
      this.#bytes += entry.size;
    }
    if (entries.some((entry) => isExotic(entry.key))) this.#before = comesBefore;
  }

  set(entry: EvictableEntry): void {
    const known = this.#byKey.get(entry.key);
    this.#bytes += entry.size - (known?.size ?? 0);
    if (!known && isExotic(entry.key)) this.#before = comesBefore;
    this.#byKey.set(entry.key, entry);
    const c = this.#chunkFor(entry.key);
    const chunk = this.#chunks[c] as EvictableEntry[];
    const i = this.#lowerBound(chunk, entry.key);
    if (known) chunk[i] = entry;
    else {
      chunk.splice(i, 0, entry);
      if (chunk.length > chunkSize) this.#chunks.splice(c + 1, 0, chunk.splice(chunkSize / 2));
    }
  }

  delete(key: string): void {
    const known = this.#byKey.get(key);
    if (!known) return;
    this.#byKey.delete(key);
    this.#bytes -= known.size;
    const c = this.#chunkFor(key);
    const chunk = this.#chunks[c] as EvictableEntry[];
    chunk.splice(this.#lowerBound(chunk, key), 1);
    if (chunk.length === 0 && this.#chunks.length > 1) this.#chunks.splice(c, 1);
  }

  /** From the first key that is not less than `from`, while keys start with `prefix`. */
  *range(prefix: string, from: string): Generator<EvictableEntry> {
    const start = later(from, prefix);
    let c = this.#chunkFor(start);
    let i = this.#lowerBound(this.#chunks[c] as EvictableEntry[], start);
    for (; c < this.#chunks.length; c++, i = 0) {
      const chunk = this.#chunks[c] as EvictableEntry[];
      for (; i < chunk.length; i++) {
        const entry = chunk[i] as EvictableEntry;
        if (!entry.key.startsWith(prefix)) return;
        yield entry;
      }
    }
  }

  /** As `range`, as an array: faster if most of it is used. */
  slice(prefix: string, from: string, limit: number): EvictableEntry[] {
    const start = later(from, prefix);
    let [c, i] = this.#locate(start);
    const [endChunk, endIndex] = this.#locate(afterPrefix(prefix));
    const result: EvictableEntry[] = [];
    for (; c <= endChunk && result.length < limit; c++, i = 0) {
      const chunk = this.#chunks[c] as EvictableEntry[];
      const end = c === endChunk ? endIndex : chunk.length;
      for (; i < end && result.length < limit; i++) result.push(chunk[i] as EvictableEntry);
    }
    return result;
  }

  /** The number of entries from `from` to the end of the prefix. */
  count(prefix: string, from: string): number {
    const [c, i] = this.#locate(later(from, prefix));
    const [endChunk, endIndex] = this.#locate(afterPrefix(prefix));
    let count = endIndex - i;
    for (let k = c; k < endChunk; k++) count += (this.#chunks[k] as EvictableEntry[]).length;
    return Math.max(0, count);
  }

  #locate(key: string): [number, number] {
    const c = this.#chunkFor(key);
    return [c, this.#lowerBound(this.#chunks[c] as EvictableEntry[], key)];
  }

  /** The last chunk whose first key is not greater. */
  #chunkFor(key: string): number {
    let low = 0;
    let high = this.#chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#before(key, this.#chunks[middle]?.[0]?.key as string)) high = middle - 1;
      else low = middle;
    }
    return low;
  }

  #lowerBound(chunk: readonly EvictableEntry[], key: string): number {
    let low = 0;
    let high = chunk.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#before((chunk[middle] as EvictableEntry).key, key)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const lessThan = (a: string, b: string) => a < b;

function later(from: string, prefix: string): string {
  return comesBefore(from, prefix) ? prefix : from;
}

/** Stores order keys by bytes. String comparison gives the same order unless a character is at or above the surrogates. */
const exotic = /[\ud800-\uffff]/;

export function isExotic(key: string): boolean {
  return exotic.test(key);
}

/** Whether a key precedes another in byte order. */
export function comesBefore(a: string, b: string): boolean {
  return isExotic(a) || isExotic(b) ? Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0 : a < b;
}

/** A string greater than every key with the prefix. */
export function afterPrefix(prefix: string): string {
  return `${prefix}\u{10ffff}`;
}
