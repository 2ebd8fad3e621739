import { CorruptValue, type Entry } from '@tsukube/storage';

/**
 * An entry in memory. `value` is what the cache presents (for objects: the bytes that a client gets), not what is
 * stored. Immutable but for what is derived from it, which readers leave here for the next one.
 */
export interface CacheEntry extends Entry {
  readonly value: Buffer;
  derived: object | undefined;
  /** Why the value cannot be read, if that is known: it throws then. */
  readonly corrupt?: CorruptValue | undefined;
}

/** Whether the value is what was written. Reads it. */
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
  /** What was written; for a removal the last state, carrying the revision of the removal. */
  readonly entry: CacheEntry;
  /** What was there before. */
  readonly previous: CacheEntry | undefined;
  /** The bytes that this event keeps alive and the cache itself does not. */
  readonly weight: number;
  /** Encodings of this event that watchers share. */
  frames: Map<string, Buffer> | undefined;
}

/** Turns a stored value into what the cache keeps, in memory of its own. */
export type Present = (value: Uint8Array, revision: number, allocate: Allocate) => Buffer;

export type Allocate = (size: number) => Buffer;

const slabBytes = 256 << 10;
const largest = 16 << 10;

/** For what is kept as long as it is there: each by itself, so that none keeps others alive. */
export const allocateAlone: Allocate = (size) => Buffer.allocUnsafeSlow(size);

/** For what comes together and goes together: cut from large pieces, of which little is lost and few are to be collected. */
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
