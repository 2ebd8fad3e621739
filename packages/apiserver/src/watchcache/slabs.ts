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
