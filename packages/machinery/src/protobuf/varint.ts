/** Lengths, written forwards into a buffer that has room for them. */

export function varintSize(value: number): number {
  let size = 1;
  for (let rest = value >>> 7; rest !== 0; rest >>>= 7) size++;
  return size;
}

/** Gives the position behind what it wrote. */
export function writeVarint(value: number, out: Uint8Array, at: number): number {
  let rest = value;
  let next = at;
  for (; rest > 0x7f; rest >>>= 7) out[next++] = (rest & 0x7f) | 0x80;
  out[next++] = rest;
  return next;
}
