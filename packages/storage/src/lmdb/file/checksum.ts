import * as zlib from 'node:zlib';

type Crc32 = (bytes: Uint8Array, seed?: number) => number;

const POLYNOMIAL = 0xedb88320;
/** Below this size the loop is faster than a call into native code. */
const SHORT_BYTES = 128;

/** Slicing-by-8: eight tables of 256 entries; table n advances a byte by n further bytes. */
function makeTables(): Uint32Array {
  const made = new Uint32Array(8 * 256);
  for (let at = 0; at < made.length; at++) {
    let rest = at < 256 ? at : (made[at - 256] as number);
    if (at >= 256) rest = (rest >>> 8) ^ (made[rest & 0xff] as number);
    else for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ POLYNOMIAL : rest >>> 1;
    made[at] = rest;
  }
  return made;
}

const tables = makeTables();

/** zlib's CRC-32, eight bytes per step. */
export const crc32InJavaScript: Crc32 = (bytes, seed = 0) => {
  const at = (index: number) => tables[index] as number;
  const { length } = bytes;
  const end = length - (length % 8);
  let crc = ~seed;
  for (let i = 0; i < end; i += 8) {
    const low = crc ^ word(bytes, i);
    const high = word(bytes, i + 4);
    crc =
      at(1792 + (low & 0xff)) ^
      at(1536 + ((low >>> 8) & 0xff)) ^
      at(1280 + ((low >>> 16) & 0xff)) ^
      at(1024 + (low >>> 24)) ^
      at(768 + (high & 0xff)) ^
      at(512 + ((high >>> 8) & 0xff)) ^
      at(256 + ((high >>> 16) & 0xff)) ^
      at(high >>> 24);
  }
  for (let i = end; i < length; i++) crc = (crc >>> 8) ^ at((crc ^ (bytes[i] as number)) & 0xff);
  return ~crc >>> 0;
};

function word(bytes: Uint8Array, at: number): number {
  const low = (bytes[at] as number) | ((bytes[at + 1] as number) << 8);
  return low | ((bytes[at + 2] as number) << 16) | ((bytes[at + 3] as number) << 24);
}

/** Available since Node 20.15. */
const native = (zlib as { readonly crc32?: Crc32 }).crc32 ?? crc32InJavaScript;

/** CRC-32 of at least one byte. `seed` is the checksum of the preceding bytes. */
export const crc32: Crc32 = (bytes, seed) => (bytes.length < SHORT_BYTES ? crc32InJavaScript(bytes, seed) : native(bytes, seed));
