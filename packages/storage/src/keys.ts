/** Longest key every driver accepts, in bytes of UTF-8. */
export const MAX_KEY_BYTES = 2048;

const MAX_BYTES_PER_CODE_UNIT = 3;

/** Throws RangeError for a key that cannot be stored. */
export function checkKey(key: string): void {
  if (key.length === 0) throw new RangeError('a key must not be empty');
  if (isTooLong(key)) throw new RangeError(`a key must not exceed ${MAX_KEY_BYTES} bytes`);
}

export function isTooLong(key: string): boolean {
  return key.length * MAX_BYTES_PER_CODE_UNIT > MAX_KEY_BYTES && Buffer.byteLength(key) > MAX_KEY_BYTES;
}

/** Orders keys by their UTF-8 bytes. For characters beyond the BMP this differs from JavaScript's string order. */
export function compareKeys(left: string, right: string): number {
  const shared = Math.min(left.length, right.length);
  for (let i = 0; i < shared; i++) {
    const a = left.charCodeAt(i);
    const b = right.charCodeAt(i);
    if (a !== b) return codePointRank(a) - codePointRank(b);
  }
  return left.length - right.length;
}

function codePointRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}

/** The first key of a list: `from`, if it is after the prefix. */
export function firstKey(prefix: string, from: string | undefined): string {
  return from !== undefined && compareKeys(from, prefix) > 0 ? from : prefix;
}

/** The index of the first key that is not less than `wanted`. */
export function lowerBound(sorted: readonly string[], wanted: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareKeys(sorted[middle] ?? '', wanted) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
