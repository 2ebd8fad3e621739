import { CorruptValue, type Entry } from '@tsukube/storage';

/**
 * An entry of the cache. `value` is the presented form (for objects: the bytes that clients get), not the stored one. Immutable,
 * except for `derived`, which caches what readers computed from it.
 */
export interface CacheEntry extends Entry {
  readonly value: Buffer;
  derived: object | undefined;
  /** Set if the value is known to be corrupt; `value` then throws it. */
  readonly corrupt?: CorruptValue | undefined;
}

/** Reads the value and returns whether it is intact. */
export function isReadable(entry: CacheEntry): boolean {
  try {
    return entry.value.length >= 0;
  } catch (error) {
    if (error instanceof CorruptValue) return false;
    throw error;
  }
}

export interface CacheEvent {
  readonly type: 'put' | 'delete';
  /** The written entry; for a delete the last state, with the revision of the delete. */
  readonly entry: CacheEntry;
  /** The entry before the change. */
  readonly previous: CacheEntry | undefined;
  /** The memory that this event retains beyond that of the cache. */
  readonly weight: number;
  /** Encoded frames, shared by all watches of the same format. */
  frames: Map<string, Buffer> | undefined;
}

/** Converts a stored value to the presented form, in newly allocated memory. */
export type Present = (value: Uint8Array, revision: number, allocate: Allocate) => Buffer;

export type Allocate = (size: number) => Buffer;

const slabBytes = 256 << 10;
const largest = 16 << 10;

/** Allocates each value by itself, so that none retains others. For values that are kept as long as their entries. */
export const allocateAlone: Allocate = (size) => Buffer.allocUnsafeSlow(size);

/** Allocates from large slabs, which is cheap to collect. For values that are evicted together. */
export function allocateFromSlabs(): Allocate {
  let slab = Buffer.alloc(0);
  let used = 0;
  return (size) => {
    if (size > largest) return Buffer.allocUnsafeSlow(size);
    if (used + size > slab.length) {
      slab = Buffer.allocUnsafeSlow(slabBytes);
      used = 0;
    }
    used += size;
    return slab.subarray(used - size, used);
  };
}
